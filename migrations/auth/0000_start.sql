CREATE TABLE `automations` (
	`client_id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`device_id` text NOT NULL,
	`secret_digest` text NOT NULL,
	`created_at_ms` integer NOT NULL,
	`created_by` text NOT NULL,
	`rotated_at_ms` integer,
	`last_used_at_ms` integer,
	`revoked_at_ms` integer
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `clients` (
	`client_id` text PRIMARY KEY NOT NULL,
	`source` text NOT NULL,
	`record` text NOT NULL,
	`created_at_ms` integer NOT NULL,
	`fresh_until_ms` integer,
	`expires_at_ms` integer
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `clients_expiry` ON `clients` (`source`,`expires_at_ms`);--> statement-breakpoint
CREATE TABLE `connectors` (
	`connector_id` text PRIMARY KEY NOT NULL,
	`state` text NOT NULL,
	`client_id` text NOT NULL,
	`app` text NOT NULL,
	`label` text NOT NULL,
	`scopes` text NOT NULL,
	`read_only` integer NOT NULL,
	`device_id` text,
	`approved_at_ms` integer NOT NULL,
	`approved_by` text NOT NULL,
	`connected_at_ms` integer,
	`last_used_at_ms` integer,
	`ended_at_ms` integer,
	`ended_why` text
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `connectors_by_state` ON `connectors` (`state`);--> statement-breakpoint
CREATE INDEX `connectors_by_client` ON `connectors` (`client_id`);--> statement-breakpoint
CREATE TABLE `entries` (
	`key` text PRIMARY KEY NOT NULL,
	`value` text NOT NULL,
	`expires_at_ms` integer
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `entries_expiry` ON `entries` (`expires_at_ms`);--> statement-breakpoint
CREATE TABLE `requests` (
	`request_id` text PRIMARY KEY NOT NULL,
	`sameness` text NOT NULL,
	`nonce` text NOT NULL,
	`state` text NOT NULL,
	`origin` text NOT NULL,
	`address` text NOT NULL,
	`request` text NOT NULL,
	`app` text NOT NULL,
	`scopes` text NOT NULL,
	`tries` integer NOT NULL,
	`opened_at_ms` integer NOT NULL,
	`expires_at_ms` integer NOT NULL,
	`connector_id` text,
	`redirect` text
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `requests_by_sameness` ON `requests` (`sameness`);--> statement-breakpoint
CREATE INDEX `requests_expiry` ON `requests` (`expires_at_ms`);--> statement-breakpoint
CREATE TABLE `spent` (
	`secret_digest` text PRIMARY KEY NOT NULL,
	`connector_id` text NOT NULL,
	`presenter` text NOT NULL,
	`answer` text,
	`spent_at_ms` integer NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `spent_by_age` ON `spent` (`spent_at_ms`);--> statement-breakpoint
CREATE INDEX `spent_by_connector` ON `spent` (`connector_id`);
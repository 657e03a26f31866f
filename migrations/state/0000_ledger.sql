CREATE TABLE `audit` (
	`id` integer PRIMARY KEY NOT NULL,
	`at` integer NOT NULL,
	`dispatch_id` text NOT NULL,
	`principal_kind` text NOT NULL,
	`principal_id` text NOT NULL,
	`principal_label` text NOT NULL,
	`tool` text NOT NULL,
	`method` text,
	`target` text,
	`ok` integer NOT NULL,
	`code` text,
	`delivery` text NOT NULL,
	`duration_ms` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `audit_at` ON `audit` (`at`);--> statement-breakpoint
CREATE INDEX `audit_tool` ON `audit` (`tool`,`at`);--> statement-breakpoint
CREATE TABLE `boots` (
	`boot_id` text PRIMARY KEY NOT NULL,
	`generation` text NOT NULL,
	`pid` integer NOT NULL,
	`process_start` text NOT NULL,
	`version` text NOT NULL,
	`started_at` integer NOT NULL,
	`ended_at` integer
);
--> statement-breakpoint
CREATE TABLE `operations` (
	`dispatch_id` text PRIMARY KEY NOT NULL,
	`principal_kind` text NOT NULL,
	`principal_id` text NOT NULL,
	`principal_label` text NOT NULL,
	`tool` text NOT NULL,
	`method` text,
	`device_id` text NOT NULL,
	`caller_session` text,
	`args_digest` text NOT NULL,
	`key_digest` text,
	`target` text,
	`intended` text,
	`state` text NOT NULL,
	`ok` integer,
	`code` text,
	`delivery` text,
	`session_id` text,
	`same_as` text,
	`generation` text NOT NULL,
	`boot_id` text NOT NULL,
	`received_at` integer NOT NULL,
	`settled_at` integer,
	`acknowledged_at` integer,
	`expires_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `operations_key` ON `operations` (`key_digest`) WHERE key_digest IS NOT NULL;--> statement-breakpoint
CREATE INDEX `operations_similar` ON `operations` (`principal_id`,`tool`,`args_digest`,`received_at`);--> statement-breakpoint
CREATE INDEX `operations_principal` ON `operations` (`principal_kind`,`principal_id`,`received_at`);--> statement-breakpoint
CREATE INDEX `operations_open` ON `operations` (`state`,`acknowledged_at`);--> statement-breakpoint
CREATE INDEX `operations_expiry` ON `operations` (`expires_at`);--> statement-breakpoint
CREATE TABLE `operation_results` (
	`dispatch_id` text PRIMARY KEY NOT NULL,
	`body` blob NOT NULL
);
--> statement-breakpoint
CREATE TABLE `revoked_connectors` (
	`connector_id` text PRIMARY KEY NOT NULL,
	`revoked_at` integer NOT NULL
);

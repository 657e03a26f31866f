CREATE TABLE `devices` (
	`device_id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`public_key` text NOT NULL,
	`authorization` text NOT NULL,
	`paused` integer NOT NULL,
	`paired_at_ms` integer NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `pairings` (
	`id_digest` text PRIMARY KEY NOT NULL,
	`nonce` text NOT NULL,
	`name` text,
	`tries` integer NOT NULL,
	`created_at_ms` integer NOT NULL,
	`expires_at_ms` integer NOT NULL,
	`operator_digest` text,
	`device_id` text,
	`public_key` text
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `spent_operator_secrets` (
	`secret_digest` text PRIMARY KEY NOT NULL,
	`spent_at_ms` integer NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `spent_tokens` (
	`jti` text PRIMARY KEY NOT NULL,
	`expires_at_ms` integer NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `spent_tokens_expiry` ON `spent_tokens` (`expires_at_ms`);
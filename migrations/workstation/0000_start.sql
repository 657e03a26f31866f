CREATE TABLE `device` (
	`id` integer PRIMARY KEY NOT NULL,
	`connected_at_ms` integer,
	`closed_at_ms` integer,
	`close_code` integer,
	`boot_id` text,
	`link_version` text,
	`runtime` text,
	`connections` integer NOT NULL,
	`revoked_at_ms` integer
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `receipts` (
	`dispatch_id` text PRIMARY KEY NOT NULL,
	`tool` text NOT NULL,
	`principal_id` text NOT NULL,
	`key_digest` text,
	`args_digest` text NOT NULL,
	`boot_id` text NOT NULL,
	`connection_id` text NOT NULL,
	`sent_at_ms` integer NOT NULL,
	`delivery` text,
	`ok` integer,
	`code` text,
	`settled_at_ms` integer,
	`size` integer,
	`result_digest` text
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `tombstones` (
	`connector_id` text PRIMARY KEY NOT NULL,
	`revoked_at_ms` integer NOT NULL
) WITHOUT ROWID;

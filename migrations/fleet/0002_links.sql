CREATE TABLE `ended_principals` (
	`principal_id` text PRIMARY KEY NOT NULL,
	`device_id` text,
	`ended_at_ms` integer NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
ALTER TABLE `devices` ADD `may_be_linked` integer DEFAULT true NOT NULL;--> statement-breakpoint
ALTER TABLE `devices` ADD `link_id` text;--> statement-breakpoint
ALTER TABLE `devices` ADD `link_ended_at_ms` integer;
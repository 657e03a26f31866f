CREATE TABLE `browser_wakes` (
	`conversation_sha256` text NOT NULL,
	`settle` text NOT NULL,
	`endpoint_ref` text NOT NULL,
	`phase` text NOT NULL,
	`updated_at` integer NOT NULL,
	PRIMARY KEY(`conversation_sha256`, `settle`)
);
--> statement-breakpoint
CREATE INDEX `browser_wakes_age` ON `browser_wakes` (`updated_at`);
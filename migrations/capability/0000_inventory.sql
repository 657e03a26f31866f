CREATE TABLE `records` (
	`agent` text PRIMARY KEY NOT NULL,
	`fingerprint` text NOT NULL,
	`probe_level` text NOT NULL,
	`observed_at_ms` integer NOT NULL,
	`record_json` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `scans` (
	`id` integer PRIMARY KEY NOT NULL,
	`finished_at_ms` integer NOT NULL,
	`deep` integer NOT NULL
);

ALTER TABLE `devices` ADD `origin` text;--> statement-breakpoint
ALTER TABLE `devices` ADD `is_default` integer DEFAULT false NOT NULL;
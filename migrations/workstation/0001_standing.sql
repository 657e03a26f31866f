ALTER TABLE `device` ADD `suspended` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `device` ADD `paused` integer DEFAULT false NOT NULL;
ALTER TABLE `automations` ADD `origin` text;--> statement-breakpoint
ALTER TABLE `connectors` ADD `origin` text;
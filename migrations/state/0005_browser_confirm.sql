ALTER TABLE `browser_dispatches` ADD `consent_revision` integer;--> statement-breakpoint
ALTER TABLE `browser_dispatches` ADD `confirmed_at` integer;--> statement-breakpoint
UPDATE `browser_dispatches` SET `confirmed_at` = `claimed_at` WHERE `claimed_at` IS NOT NULL;

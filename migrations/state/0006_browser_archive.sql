ALTER TABLE `browser_dispatches` ADD `source_turn_sha256` text;--> statement-breakpoint
ALTER TABLE `browser_dispatches` ADD `source_text_sha256` text;--> statement-breakpoint
ALTER TABLE `browser_dispatches` ADD `tab_outcome` text;--> statement-breakpoint
ALTER TABLE `browser_source_turns` ADD `text_sha256` text;--> statement-breakpoint
ALTER TABLE `browser_source_turns` ADD `observation_generation` integer DEFAULT 0 NOT NULL;
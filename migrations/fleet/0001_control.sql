CREATE TABLE `control_answers` (
	`key_digest` text PRIMARY KEY NOT NULL,
	`principal_id` text NOT NULL,
	`kind` text NOT NULL,
	`payload_digest` text NOT NULL,
	`answer` text NOT NULL,
	`expires_at_ms` integer NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `control_answers_expiry` ON `control_answers` (`expires_at_ms`);--> statement-breakpoint
CREATE TABLE `execution_lanes` (
	`lane_id` text PRIMARY KEY NOT NULL,
	`work_chain_id` text NOT NULL,
	`generation` integer NOT NULL,
	`state` text NOT NULL,
	`device_id` text NOT NULL,
	`repo` text NOT NULL,
	`base_commit` text NOT NULL,
	`branch` text NOT NULL,
	`created_at_ms` integer NOT NULL,
	`updated_at_ms` integer NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `execution_lanes_by_chain` ON `execution_lanes` (`work_chain_id`);--> statement-breakpoint
CREATE UNIQUE INDEX `execution_lanes_live` ON `execution_lanes` (`repo`,`branch`) WHERE state IN ('planned', 'active', 'blocked');--> statement-breakpoint
CREATE TABLE `work_chains` (
	`work_chain_id` text PRIMARY KEY NOT NULL,
	`revision` integer NOT NULL,
	`created_by` text NOT NULL,
	`created_at_ms` integer NOT NULL,
	`touched_at_ms` integer NOT NULL,
	`checkpoint_revision` integer,
	`checkpoint_digest` text,
	`checkpoint_device` text,
	`lease_generation` integer NOT NULL,
	`lease_holder` text,
	`lease_until_ms` integer,
	`lease_reason` text
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `work_chains_by_age` ON `work_chains` (`touched_at_ms`);
CREATE TABLE `browser_dispatches` (
	`dispatch_id` text PRIMARY KEY NOT NULL,
	`endpoint_ref` text NOT NULL,
	`provider` text NOT NULL,
	`account_ref` text NOT NULL,
	`space_ref` text DEFAULT '' NOT NULL,
	`operation` text NOT NULL,
	`session_ref` text DEFAULT '' NOT NULL,
	`stops_dispatch_id` text DEFAULT '' NOT NULL,
	`source_url` text,
	`request_sha256` text NOT NULL,
	`key_sha256` text NOT NULL,
	`message_sha256` text,
	`message` text,
	`expected_generation` integer NOT NULL,
	`principal_kind` text NOT NULL,
	`principal_id` text NOT NULL,
	`work_chain_id` text DEFAULT '' NOT NULL,
	`lane_id` text DEFAULT '' NOT NULL,
	`display_label` text DEFAULT '' NOT NULL,
	`parent_target` text,
	`wake_dispatch_id` text,
	`actuation_id` text NOT NULL,
	`offers` integer DEFAULT 1 NOT NULL,
	`offered_at` integer NOT NULL,
	`claimant` text,
	`claimed_at` integer,
	`reported_at` integer,
	`delivery_state` text NOT NULL,
	`execution_state` text NOT NULL,
	`reason` text,
	`canonical_url` text,
	`accepted_message_ref` text,
	`result_message_ref` text,
	`result_text` text,
	`result_sha256` text,
	`result_at` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `browser_dispatches_key` ON `browser_dispatches` (`endpoint_ref`,`provider`,`operation`,`key_sha256`);--> statement-breakpoint
CREATE UNIQUE INDEX `browser_dispatches_actuation` ON `browser_dispatches` (`actuation_id`);--> statement-breakpoint
CREATE INDEX `browser_dispatches_open` ON `browser_dispatches` (`endpoint_ref`,`offered_at`) WHERE delivery_state = 'uncertain';--> statement-breakpoint
CREATE INDEX `browser_dispatches_age` ON `browser_dispatches` (`created_at`);--> statement-breakpoint
CREATE TABLE `browser_grants` (
	`principal_kind` text NOT NULL,
	`principal_id` text NOT NULL,
	`granted_at` integer NOT NULL,
	PRIMARY KEY(`principal_kind`, `principal_id`)
);

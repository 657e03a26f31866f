CREATE TABLE `continuity_checkpoints` (
	`chain_no` integer NOT NULL,
	`revision` integer NOT NULL,
	`through_message_id` text,
	`through_evidence_id` text,
	`through_turn_seq` integer,
	`through_evidence_seq` integer,
	`sha256` blob NOT NULL,
	`created_at` integer NOT NULL,
	`recorded_at` integer NOT NULL,
	`summary` text NOT NULL,
	`checkpoint_json` text NOT NULL,
	PRIMARY KEY(`chain_no`, `revision`)
);
--> statement-breakpoint
CREATE TABLE `continuity_reclaims` (
	`reclaim_id` text PRIMARY KEY NOT NULL,
	`chain_no` integer NOT NULL,
	`dry_run` integer NOT NULL,
	`state` text NOT NULL,
	`checkpoint_revision` integer NOT NULL,
	`checkpoint_sha256` blob NOT NULL,
	`through_seq` integer NOT NULL,
	`turns` integer DEFAULT 0 NOT NULL,
	`bytes` integer DEFAULT 0 NOT NULL,
	`damaged` integer DEFAULT 0 NOT NULL,
	`started_at` integer NOT NULL,
	`ended_at` integer
);
--> statement-breakpoint
CREATE INDEX `continuity_reclaims_chain` ON `continuity_reclaims` (`chain_no`,`started_at`);--> statement-breakpoint
CREATE TABLE `continuity_sessions` (
	`chain_no` integer NOT NULL,
	`provider` text NOT NULL,
	`account_ref` text DEFAULT '' NOT NULL,
	`space_ref` text DEFAULT '' NOT NULL,
	`session_ref` text NOT NULL,
	`bound_at` integer NOT NULL,
	PRIMARY KEY(`chain_no`, `provider`, `account_ref`, `space_ref`, `session_ref`)
);
--> statement-breakpoint
CREATE TABLE `continuity_bindings` (
	`conversation_id` text NOT NULL,
	`provider` text NOT NULL,
	`chain_no` integer NOT NULL,
	`workspace_id` text DEFAULT '' NOT NULL,
	`bound_at` integer NOT NULL,
	`retired_at` integer,
	PRIMARY KEY(`conversation_id`, `provider`, `chain_no`, `workspace_id`)
);
--> statement-breakpoint
CREATE INDEX `continuity_bindings_chain` ON `continuity_bindings` (`chain_no`);--> statement-breakpoint
CREATE INDEX `continuity_bindings_workspace` ON `continuity_bindings` (`workspace_id`);--> statement-breakpoint
CREATE TABLE `continuity_chains` (
	`chain_no` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`continuity_id` text NOT NULL,
	`title` text DEFAULT '' NOT NULL,
	`title_key` text DEFAULT '' NOT NULL,
	`provider` text DEFAULT '' NOT NULL,
	`project_id` text DEFAULT '' NOT NULL,
	`status` text DEFAULT 'active' NOT NULL,
	`project_ref` text,
	`repo_id` text,
	`work_chain_id` text,
	`checkpoint_revision` integer DEFAULT 0 NOT NULL,
	`retention_policy` text DEFAULT 'retain_all' NOT NULL,
	`reclaimed_through_seq` integer DEFAULT 0 NOT NULL,
	`turn_count` integer DEFAULT 0 NOT NULL,
	`turn_bytes` integer DEFAULT 0 NOT NULL,
	`evidence_count` integer DEFAULT 0 NOT NULL,
	`last_user_seq` integer DEFAULT 0 NOT NULL,
	`last_assistant_seq` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `continuity_chains_id` ON `continuity_chains` (`continuity_id`);--> statement-breakpoint
CREATE UNIQUE INDEX `continuity_chains_partition` ON `continuity_chains` (`project_ref`,`repo_id`,`work_chain_id`) WHERE work_chain_id IS NOT NULL;--> statement-breakpoint
CREATE INDEX `continuity_chains_project` ON `continuity_chains` (`project_id`,`provider`);--> statement-breakpoint
CREATE INDEX `continuity_chains_recent` ON `continuity_chains` (`status`,`updated_at`);--> statement-breakpoint
CREATE TABLE `continuity_evidence` (
	`seq` integer PRIMARY KEY NOT NULL,
	`chain_no` integer NOT NULL,
	`evidence_id` text NOT NULL,
	`kind` text NOT NULL,
	`provider` text DEFAULT '' NOT NULL,
	`account_ref` text DEFAULT '' NOT NULL,
	`space_ref` text DEFAULT '' NOT NULL,
	`session_ref` text DEFAULT '' NOT NULL,
	`portable_repo_id` text,
	`portable_commit_sha` text,
	`portable_path` text,
	`portable_line_start` integer,
	`portable_line_end` integer,
	`sha256` blob NOT NULL,
	`bytes` integer NOT NULL,
	`created_at` integer NOT NULL,
	`recorded_at` integer NOT NULL,
	`content` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `continuity_evidence_id` ON `continuity_evidence` (`chain_no`,`evidence_id`);--> statement-breakpoint
CREATE INDEX `continuity_evidence_chain` ON `continuity_evidence` (`chain_no`,`seq`);--> statement-breakpoint
CREATE TABLE `continuity_receipts` (
	`dispatch_id` text PRIMARY KEY NOT NULL,
	`method` text NOT NULL,
	`at` integer NOT NULL,
	`answer` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `continuity_receipts_at` ON `continuity_receipts` (`at`);--> statement-breakpoint
CREATE TABLE `continuity_secrets` (
	`name` text PRIMARY KEY NOT NULL,
	`value` blob NOT NULL
);
--> statement-breakpoint
CREATE TABLE `continuity_turns` (
	`seq` integer PRIMARY KEY NOT NULL,
	`chain_no` integer NOT NULL,
	`message_id` text NOT NULL,
	`provider` text DEFAULT '' NOT NULL,
	`conversation_id` text DEFAULT '' NOT NULL,
	`account_ref` text DEFAULT '' NOT NULL,
	`space_ref` text DEFAULT '' NOT NULL,
	`session_ref` text DEFAULT '' NOT NULL,
	`message_ref` text DEFAULT '' NOT NULL,
	`role` text NOT NULL,
	`sha256` blob NOT NULL,
	`bytes` integer NOT NULL,
	`observed_at` integer NOT NULL,
	`recorded_at` integer NOT NULL,
	`text` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `continuity_turns_message` ON `continuity_turns` (`chain_no`,`message_id`);--> statement-breakpoint
CREATE INDEX `continuity_turns_chain` ON `continuity_turns` (`chain_no`,`seq`);
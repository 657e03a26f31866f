CREATE TABLE `browser_caller_sessions` (
	`principal_kind` text NOT NULL,
	`principal_id` text NOT NULL,
	`caller_session` text NOT NULL,
	`session_ref` text NOT NULL,
	`proof` text NOT NULL,
	`first_bound_at` integer NOT NULL,
	`last_bound_at` integer NOT NULL,
	PRIMARY KEY(`principal_kind`, `principal_id`, `caller_session`)
);
--> statement-breakpoint
CREATE UNIQUE INDEX `browser_caller_sessions_session` ON `browser_caller_sessions` (`principal_kind`,`principal_id`,`session_ref`);--> statement-breakpoint
CREATE TABLE `browser_endpoints` (
	`endpoint_ref` text PRIMARY KEY NOT NULL,
	`profile_sha256` text NOT NULL,
	`device_id` text NOT NULL,
	`browser_family` text NOT NULL,
	`extension_version` text NOT NULL,
	`webchat_control` integer DEFAULT false NOT NULL,
	`tool_bridge` integer DEFAULT false NOT NULL,
	`tool_bridge_mutation` integer DEFAULT false NOT NULL,
	`consent_revision` integer DEFAULT 0 NOT NULL,
	`first_observed_at` integer NOT NULL,
	`last_observed_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `browser_endpoints_profile` ON `browser_endpoints` (`profile_sha256`);--> statement-breakpoint
CREATE TABLE `browser_provider_state` (
	`endpoint_ref` text NOT NULL,
	`provider` text NOT NULL,
	`adapter_protocol_version` integer NOT NULL,
	`observation_generation` integer NOT NULL,
	`capabilities` text NOT NULL,
	`observed_at` integer NOT NULL,
	PRIMARY KEY(`endpoint_ref`, `provider`)
);
--> statement-breakpoint
CREATE TABLE `browser_resources` (
	`resource_ref` text PRIMARY KEY NOT NULL,
	`endpoint_ref` text NOT NULL,
	`provider` text NOT NULL,
	`kind` text NOT NULL,
	`parent_ref` text DEFAULT '' NOT NULL,
	`native_sha256` text NOT NULL,
	`display_label` text DEFAULT '' NOT NULL,
	`canonical_url` text,
	`observation_generation` integer NOT NULL,
	`first_observed_at` integer NOT NULL,
	`last_observed_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `browser_resources_endpoint` ON `browser_resources` (`endpoint_ref`,`provider`,`kind`);--> statement-breakpoint
CREATE INDEX `browser_resources_url` ON `browser_resources` (`canonical_url`);--> statement-breakpoint
CREATE TABLE `browser_source_turns` (
	`session_ref` text PRIMARY KEY NOT NULL,
	`turn_sha256` text NOT NULL,
	`started_at` integer NOT NULL,
	`observed_at` integer NOT NULL,
	`ended_at` integer
);
--> statement-breakpoint
CREATE INDEX `browser_source_turns_observed` ON `browser_source_turns` (`observed_at`);--> statement-breakpoint
CREATE TABLE `agent_tasks` (
	`task_id` text PRIMARY KEY NOT NULL,
	`turn_id` text NOT NULL,
	`device_id` text NOT NULL,
	`principal_kind` text NOT NULL,
	`principal_id` text NOT NULL,
	`caller_session` text,
	`parent_kind` text DEFAULT 'none' NOT NULL,
	`parent_session_ref` text,
	`parent_target` text,
	`parent_terminal_id` text,
	`parent_pane_id` text,
	`parent_name` text,
	`target` text NOT NULL,
	`server_key` text NOT NULL,
	`terminal_id` text NOT NULL,
	`pane_id` text NOT NULL,
	`workspace_id` text NOT NULL,
	`agent_name` text,
	`agent_kind` text,
	`lifecycle` text NOT NULL,
	`reason` text NOT NULL,
	`baseline_status` text NOT NULL,
	`baseline_seq` integer,
	`gate_seq` integer,
	`activity_observed` integer DEFAULT false NOT NULL,
	`prior_settle_observed` integer DEFAULT false NOT NULL,
	`waiting_since` integer,
	`settling_status` text,
	`settling_seq` integer,
	`settling_since` integer,
	`gone_since` integer,
	`last_status` text,
	`last_seq` integer,
	`last_seen_at` integer,
	`evidence` text,
	`terminal_status` text,
	`terminal_at` integer,
	`terminal_no` integer,
	`notification_state` text DEFAULT 'none' NOT NULL,
	`notification_attempts` integer DEFAULT 0 NOT NULL,
	`notification_at` integer,
	`notification_error` text,
	`wake_dispatch_id` text,
	`acknowledged_at` integer,
	`boot_id` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`revision` integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE INDEX `agent_tasks_open` ON `agent_tasks` (`created_at`) WHERE terminal_at IS NULL;--> statement-breakpoint
CREATE UNIQUE INDEX `agent_tasks_terminal` ON `agent_tasks` (`terminal_no`) WHERE terminal_no IS NOT NULL;--> statement-breakpoint
CREATE INDEX `agent_tasks_session` ON `agent_tasks` (`parent_session_ref`,`acknowledged_at`);--> statement-breakpoint
CREATE INDEX `agent_tasks_owner` ON `agent_tasks` (`principal_kind`,`principal_id`,`caller_session`,`acknowledged_at`);--> statement-breakpoint
CREATE INDEX `agent_tasks_wake` ON `agent_tasks` (`notification_state`,`parent_kind`);--> statement-breakpoint
CREATE INDEX `agent_tasks_age` ON `agent_tasks` (`terminal_at`);--> statement-breakpoint
CREATE TABLE `agent_task_driver` (
	`id` integer PRIMARY KEY NOT NULL,
	`boot_id` text NOT NULL,
	`renewed_at` integer NOT NULL
);

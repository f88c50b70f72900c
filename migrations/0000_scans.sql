CREATE TABLE `rate_events` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`policy` text NOT NULL,
	`partition` text NOT NULL,
	`at_ms` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `rate_events_by_window` ON `rate_events` (`policy`,`partition`,`at_ms`);--> statement-breakpoint
CREATE INDEX `rate_events_by_age` ON `rate_events` (`at_ms`);--> statement-breakpoint
CREATE TABLE `reports` (
	`scan_id` text PRIMARY KEY NOT NULL,
	`report` text NOT NULL,
	`findings` blob NOT NULL,
	FOREIGN KEY (`scan_id`) REFERENCES `scans`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `scans` (
	`id` text PRIMARY KEY NOT NULL,
	`url` text NOT NULL,
	`is_bare_domain` integer NOT NULL,
	`status` text NOT NULL,
	`interruptions` integer DEFAULT 0 NOT NULL,
	`created_at_ms` integer NOT NULL,
	`finished_at_ms` integer,
	`error_code` text,
	`error_detail` text
);
--> statement-breakpoint
CREATE INDEX `scans_unfinished` ON `scans` (`created_at_ms`) WHERE "scans"."status" in ('queued', 'running');--> statement-breakpoint
CREATE INDEX `scans_by_end` ON `scans` (`finished_at_ms`);
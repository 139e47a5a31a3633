import type { Scope } from "@millrace/contract/access/scopes";

type CreateCommand = { label: string; path: string; search?: Record<string, string>; keys: string; scope: Scope };

/** What can be created from anywhere: the page that does it, and the command that it offers there. */
export const CREATE_COMMANDS: CreateCommand[] = [
  { label: "Create job", path: "jobs", keys: "n j", scope: "jobs:write" },
  { label: "Create workflow", path: "workflows", keys: "n f", scope: "workflows:write" },
  { label: "Create schedule", path: "schedules", keys: "n t", scope: "jobs:write" },
  { label: "Send event", path: "events", keys: "n e", scope: "events:send" },
  { label: "Create event source", path: "event-sources", keys: "n s", scope: "events:write" },
  { label: "Create webhook subscription", path: "webhook-subscriptions", keys: "n w", scope: "webhooks:write" },
  { label: "Create log drain", path: "log-drains", keys: "n l", scope: "drains:write" },
  { label: "Create queue", path: "queues", keys: "n q", scope: "jobs:write" },
  { label: "Create API key", path: "api-keys", keys: "n k", scope: "api-keys:write" },
  { label: "Add environment", path: "environments", keys: "n v", scope: "environments:write" },
  { label: "Create alert rule", path: "alerts", search: { tab: "rules" }, keys: "n a", scope: "alerts:write" },
  { label: "Create outbox source", path: "outbox-sources", keys: "n o", scope: "outbox:write" },
  { label: "Invite member", path: "access", search: { tab: "members" }, keys: "n m", scope: "access:write" },
];

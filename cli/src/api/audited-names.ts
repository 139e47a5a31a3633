import type { AuditEvent } from "@millrace/contract/projects/audit-events";
import type { Cli } from "../cli.ts";

const PATHS: Readonly<Record<string, string>> = {
  ...{ job: "jobs", workflow: "workflows", schedule: "schedules", environment: "environments", project: "projects" },
  ...{ event_source: "event-sources", webhook_subscription: "webhook-subscriptions", log_drain: "log-drains" },
  ...{ outbox_source: "outbox-sources", alert_rule: "alert-rules", alert_channel: "alert-channels" },
  ...{ api_key: "api-keys", role: "roles", member: "members" },
  // One per project.
  ...{ project_budget: "projects", workflow_policy: "projects", project_config: "projects" },
};

type Named = { slug?: string; name?: string | null; url?: string; subject?: string };

/** The names of the objects of audit events by their ids, each looked up once. Deleted and hidden ones are missing. */
export async function auditedNames(cli: Cli, events: readonly AuditEvent[]): Promise<ReadonlyMap<string, string>> {
  const paths = new Map(
    events.flatMap(({ resource_type, resource_id }) => {
      const path = PATHS[resource_type];
      return path === undefined ? [] : [[resource_id, `/v1/${path}/${encodeURIComponent(resource_id)}`] as const];
    }),
  );
  const found = await Promise.all([...paths].map(async ([id, path]) => [id, await nameAt(cli, path)] as const));
  return new Map(found.filter((entry): entry is readonly [string, string] => entry[1] !== undefined));
}

async function nameAt(cli: Cli, path: string): Promise<string | undefined> {
  try {
    const { slug, name, url, subject } = await cli.client().request<Named>("GET", path);
    return slug ?? name ?? subject ?? url;
  } catch {
    return undefined; // a key without permission to read it sees the id
  }
}

import type { ResourcePolicy, TagPolicy } from "@millrace/contract/policies";
import type { Area } from "@millrace/contract/scopes";
import type { PolicyRow, ShownPolicy } from "./queries.ts";

/** As it is recorded; with `matches_anything`, as it is shown. */
export function presentPolicy(row: PolicyRow | ShownPolicy): ResourcePolicy & TagPolicy {
  const { kind, resource_type, resource_id, tag_key, tag_value, ...shared } = row;
  const about = kind === "resource" ? { resource_type, resource_id } : { tag_key, tag_value };
  const acts = "matches_anything" in row && { matches_anything: row.matches_anything && actsOnItsResource(row) };
  return { ...shared, ...about, ...acts } as unknown as ResourcePolicy & TagPolicy;
}

/** The areas whose requests look at what a policy of this kind names. Of the others none is changed by it. */
const AREAS_OF: Record<string, readonly Area[]> = {
  environment: ["environments", "api-keys", "jobs", "runs", "workflows", "events", "webhooks", "drains", "analytics"],
  api_key: ["api-keys"],
  job: ["jobs", "runs", "analytics"],
  workflow: ["workflows", "jobs", "analytics"],
  run: ["runs", "analytics"],
  workflow_run: ["workflows", "analytics"],
  event_trigger: ["events"],
  schedule: ["jobs"],
  webhook_delivery: ["webhooks"],
  webhook_subscription: ["webhooks"],
  log_drain: ["drains"],
  batch_operation: ["runs"],
};
const OF_TAGS: readonly Area[] = ["jobs", "runs", "workflows", "analytics"];

/** Whether any of its actions is about what it names: `events:read` of a job, for one, is not. */
function actsOnItsResource({ kind, resource_type, actions }: PolicyRow): boolean {
  const areas = kind === "tag" ? OF_TAGS : AREAS_OF[resource_type ?? ""];
  if (!areas || actions.includes("*")) return true;
  return actions.some((action) => areas.includes(action.split(":", 1)[0] as Area));
}

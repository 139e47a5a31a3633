import type { ResourcePolicy, TagPolicy } from "@millrace/contract/access/policies";
import type { Area } from "@millrace/contract/access/scopes";
import type { ProjectCtx } from "../../platform/context.ts";
import { notFound } from "../../platform/errors/errors.ts";
import { findPolicy, type PolicyKind, type PolicyRow, type ShownPolicy } from "./queries.ts";

export async function getPolicy(ctx: ProjectCtx, kind: PolicyKind, id: string) {
  const row = await findPolicy(ctx, kind, id);
  if (!row) throw notFound("policy");
  return presentPolicy(row);
}

/** The recorded policy; with `matches_anything` in responses. */
export function presentPolicy(row: PolicyRow | ShownPolicy): ResourcePolicy & TagPolicy {
  const { kind, resource_type, resource_id, tag_key, tag_value, ...shared } = row;
  const about = kind === "resource" ? { resource_type, resource_id } : { tag_key, tag_value };
  const acts = "matches_anything" in row && { matches_anything: row.matches_anything && actsOnItsResource(row) };
  return { ...shared, ...about, ...acts } as unknown as ResourcePolicy & TagPolicy;
}

/** The areas whose requests evaluate policies of this kind. Other areas are not affected. */
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

/** Whether any of its actions applies to its resource: `events:read` of a job, for example, does not. */
function actsOnItsResource({ kind, resource_type, actions }: PolicyRow): boolean {
  const areas = kind === "tag" ? OF_TAGS : AREAS_OF[resource_type ?? ""];
  if (!areas || actions.includes("*")) return true;
  return actions.some((action) => areas.includes(action.split(":", 1)[0] as Area));
}

import type { Area } from "@millrace/contract/scopes";
import type { PolicyRow } from "./queries.ts";

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
export function actsOnItsResource({ kind, resource_type, actions }: PolicyRow): boolean {
  const areas = kind === "tag" ? OF_TAGS : AREAS_OF[resource_type ?? ""];
  if (!areas || actions.includes("*")) return true;
  return actions.some((action) => areas.includes(action.split(":", 1)[0] as Area));
}

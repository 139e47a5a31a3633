import type { TSchema } from "typebox";
import { allRoutes } from "../../src/api/all-routes.ts";
import type { TestProject, World } from "../world/world.ts";
import { idsIn } from "./path-ids.ts";
import { type JsonSchema, resolve } from "./sample-body.ts";

/** A place in a query or a body that takes an id: its path, the kind of object, and how to set it. */
export type IdPlace = { path: string[]; kind: string; put: (body: object, id: string) => object };

/** The kind of object for each field name. */
const KINDS: Record<string, string> = {
  job_id: "job",
  job_ids: "job",
  on_failure_job_id: "job",
  workflow_id: "workflow",
  environment_id: "environment",
  worker_environment_ids: "environment",
  parent_id: "environment",
  run_id: "run",
  job_run_id: "run",
  run_ids: "run",
  parent_run_id: "run",
  depends_on_run_ids: "run",
  workflow_run_id: "workflow_run",
  workflow_run_ids: "workflow_run",
  parent_workflow_run_id: "workflow_run",
  batch_id: "batch",
  schedule_id: "schedule",
  member_id: "member",
  role_id: "role",
  parent_role_id: "role",
  delivery_ids: "delivery",
  subscription_id: "subscription",
  capsule_ids: "capsule",
  version_id: "workflow_version",
  after: "workflow_run",
  rule_id: "alert_rule",
  channel_ids: "alert_channel",
};

/** Fields that look like ids but refer to no object of a project. */
const NOT_OBJECTS: ReadonlySet<string> = new Set([
  ...[
    "project_id",
    "org_id",
    "request_id",
    "resource_id",
    "last_event_id",
    "event_id",
    "dedup_id",
    "worker_id",
    "claim_id",
  ],
]);

export function idPlacesIn(schema: TSchema | undefined): IdPlace[] {
  if (schema === undefined) return [];
  const { properties = {} } = resolve(schema as unknown as JsonSchema);
  return Object.entries(properties).flatMap(([name, given]) => placesAt(name, resolve(given)));
}

function placesAt(name: string, schema: JsonSchema): IdPlace[] {
  const isNamed = /_ids?$/.test(name) && !NOT_OBJECTS.has(name);
  const kind = KINDS[name];
  if (isNamed && kind === undefined) throw new Error(`add the kind of object of ${name} to id-places.ts`);
  if (isNamed && kind !== undefined) {
    const isList = [schema, ...(schema.anyOf ?? [])].some((each) => resolve(each).type === "array");
    return [{ path: [name], kind, put: (body, id) => ({ ...body, [name]: isList ? [id] : id }) }];
  }
  if (name !== "filter") return [];
  return idPlacesIn(schema as unknown as TSchema).map((place) => ({
    path: [name, ...place.path],
    kind: place.kind,
    put: (body, id) => ({ ...body, [name]: place.put({}, id) }),
  }));
}

/** One object of every kind in a project. */
export async function foreignIds({ connection }: World, project: TestProject): Promise<Record<string, string>> {
  const of = async (path: string, param: string) => {
    const row = allRoutes.find((each) => each.path === path);
    if (!row) throw new Error(`no route ${path}`);
    return (await idsIn(connection, project, row))[param] ?? "";
  };
  return {
    job: await of("/v1/jobs/{jobID}", "jobID"),
    workflow: await of("/v1/workflows/{workflowID}", "workflowID"),
    environment: await of("/v1/environments/{envID}", "envID"),
    run: await of("/v1/runs/{runID}", "runID"),
    workflow_run: await of("/v1/workflow-runs/{workflowRunID}", "workflowRunID"),
    batch: await of("/v1/batch-operations/{batchOperationID}", "batchOperationID"),
    schedule: await of("/v1/schedules/{scheduleID}", "scheduleID"),
    member: await of("/v1/members/{memberID}", "memberID"),
    role: await of("/v1/roles/{roleID}", "roleID"),
    delivery: await of("/v1/webhook-deliveries/{deliveryID}", "deliveryID"),
    subscription: await of("/v1/webhook-subscriptions/{webhookSubscriptionID}", "webhookSubscriptionID"),
    capsule: await of("/v1/workflow-runs/capsules/{capsuleID}", "capsuleID"),
    alert_rule: await of("/v1/alert-rules/{alertRuleID}", "alertRuleID"),
    alert_channel: await of("/v1/alert-channels/{alertChannelID}", "alertChannelID"),
    workflow_version: await of("/v1/workflows/{workflowID}/versions/{versionID}", "versionID"),
  };
}

import { LRUCache } from "lru-cache";
import type { Ctx } from "../../../platform/context.ts";
import { sql } from "../../../platform/database/sql.ts";
import { ApiError, invalid } from "../../../platform/errors/errors.ts";
import { newId } from "../../../platform/ids.ts";
import { schemaIssues } from "../../../platform/json-schema/compile-json-schema.ts";
import { perService } from "../../../platform/service-state.ts";
import { yieldToEventLoop } from "../../../platform/time-slices.ts";
import { renderCancelKeys } from "../../runs/create/cancel-keys.ts";
import { mergeTags } from "../../runs/create/merge-tags.ts";
import type { NewWorkflowRun } from "./new-workflow-run.ts";
import { routesToTarget } from "./route-canary.ts";
import type { TriggerableWorkflow } from "./triggerable-workflow.ts";
import { findWorkflowVersion, type WorkflowVersion } from "./workflow-version.ts";

/** The request of a caller or a schedule. */
export type WorkflowTrigger = Pick<NewWorkflowRun, "created_by" | "trigger_type"> &
  Partial<
    Pick<
      NewWorkflowRun,
      | "id"
      | "created_by_id"
      | "payload"
      | "metadata"
      | "routing_key"
      | "idempotency_key"
      | "body_hash"
      | "schedule_id"
      | "batch_id"
      | "parent_workflow_run_id"
      | "parent_step_ref"
      | "parent_generation"
      | "root_workflow_run_id"
      | "depth"
      | "traceparent"
      | "scheduled_at"
      | "delay_secs"
    >
  > & {
    environment_id?: string | null;
    tags?: Record<string, string> | string[];
    /** Tags of another run, in place of `tags`. */
    inherited_tags?: Record<string, string>;
    /** Number or id. Absent: chosen by the workflow's canary, else the current one. */
    version?: number | string;
  };

/** Builds a run from a workflow and a trigger, or refuses with every issue of the payload. Has no side effects. */
export async function prepareWorkflowRun(
  ctx: Ctx,
  workflow: TriggerableWorkflow,
  trigger: WorkflowTrigger,
): Promise<NewWorkflowRun> {
  if (!workflow.enabled) {
    throw new ApiError("workflow_disabled", "The workflow is disabled: enable it to trigger it.");
  }
  const id = trigger.id ?? newId();
  const { requested, canary_id } = chooseVersion(workflow, trigger, id);
  const version = await findRequestedVersion(ctx, workflow, requested);
  if (!version) throw invalid("body.version", "is not a version of this workflow", trigger.version);
  const payload = trigger.payload ?? {};
  await yieldToEventLoop();
  refusePayload(version, payload);
  const cancel_keys = renderCancelKeys(workflow.cancel_on, payload, "body.payload");
  return {
    id,
    project_id: workflow.project_id,
    workflow_id: workflow.id,
    workflow_revision: workflow.revision,
    is_limited: workflow.is_limited,
    version_id: version.id,
    version: version.version,
    canary_id,
    environment_id: trigger.environment_id ?? workflow.environment_id ?? workflow.production_id,
    payload,
    tags: mergeTags("workflow", workflow.tags, trigger),
    metadata: trigger.metadata ?? {},
    routing_key: trigger.routing_key ?? null,
    idempotency_key: trigger.idempotency_key ?? null,
    body_hash: trigger.body_hash ?? null,
    trigger_type: trigger.trigger_type,
    created_by: trigger.created_by,
    created_by_id: trigger.created_by_id ?? null,
    schedule_id: trigger.schedule_id ?? null,
    batch_id: trigger.batch_id ?? null,
    parent_workflow_run_id: trigger.parent_workflow_run_id ?? null,
    parent_step_ref: trigger.parent_step_ref ?? null,
    parent_generation: trigger.parent_generation ?? null,
    root_workflow_run_id: trigger.root_workflow_run_id ?? null,
    depth: trigger.depth ?? 0,
    traceparent: trigger.traceparent ?? null,
    scheduled_at: trigger.scheduled_at ?? null,
    delay_secs: trigger.delay_secs ?? null,
    ...(cancel_keys.length > 0 && { cancel_keys }),
  };
}

/** Chosen once: the run keeps its version whatever happens to the canary. */
function chooseVersion(
  { canary }: TriggerableWorkflow,
  { version, routing_key }: WorkflowTrigger,
  id: string,
): { requested: number | string | undefined; canary_id: string | null } {
  if (version !== undefined || !canary) return { requested: version, canary_id: null };
  const isTarget = routesToTarget(canary, routing_key ?? id);
  return { requested: isTarget ? canary.target_version_id : undefined, canary_id: canary.id };
}

function refusePayload({ id, payload_schema }: WorkflowVersion, payload: unknown): void {
  if (!payload_schema) return;
  const errors = schemaIssues(`${id}/payload`, payload_schema, payload, "body.payload");
  if (errors.length === 0) return;
  const named = errors.map(({ location, message }) => `${location}: ${message}`).join("; ");
  throw new ApiError("payload_invalid", `The payload does not match the workflow's payload_schema. ${named}`, {
    errors,
  });
}

const MAX_CACHED = 5_000;
/** Versions never change and are never renumbered, so a resolved name stays valid forever. */
const idsOf = perService(() => new LRUCache<string, string>({ max: MAX_CACHED }));

/** The version that a trigger requests by number or id; the current one if it requests none. */
async function findRequestedVersion(
  ctx: Ctx,
  workflow: TriggerableWorkflow,
  requested: number | string | undefined,
): Promise<WorkflowVersion | undefined> {
  const { project_id, version_id, current_version } = workflow;
  if (requested === undefined || requested === version_id || requested === current_version) {
    return findWorkflowVersion(ctx, project_id, version_id);
  }
  const key = `${workflow.id}/${requested}`;
  const id = idsOf(ctx).get(key) ?? (await lookUp(ctx, workflow, requested));
  if (id === undefined) return undefined;
  idsOf(ctx).set(key, id);
  return findWorkflowVersion(ctx, project_id, id);
}

async function lookUp(
  ctx: Ctx,
  { project_id, id }: TriggerableWorkflow,
  requested: number | string,
): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    select v.id from workflow_versions v
    where v.project_id = ${project_id} and v.workflow_id = ${id}
      and ${typeof requested === "number" ? sql`v.version = ${requested}` : sql`v.id = ${requested}`}`.execute(ctx.db);
  return rows[0]?.id;
}

import { sql } from "kysely";
import { LRUCache } from "lru-cache";
import type { Ctx } from "../../../platform/context.ts";
import { perService } from "../../../platform/service-state.ts";
import type { TriggerableWorkflow } from "./triggerable-workflow.ts";
import { findWorkflowVersion, type WorkflowVersion } from "./workflow-version.ts";

const MAX_CACHED = 5_000;
/** Versions never change and are never renumbered, so a resolved name holds for ever. */
const idsOf = perService(() => new LRUCache<string, string>({ max: MAX_CACHED }));

/** The version that a trigger requests by number or id; the current one if it requests none. */
export async function findRequestedVersion(
  ctx: Ctx,
  workflow: TriggerableWorkflow,
  requested: number | string | undefined,
): Promise<WorkflowVersion | undefined> {
  const { project_id, version_id, current_version } = workflow;
  if (requested === undefined || requested === version_id || requested === current_version) {
    return findWorkflowVersion(ctx, project_id, version_id);
  }
  const place = `${workflow.id}/${requested}`;
  const id = idsOf(ctx).get(place) ?? (await lookUp(ctx, workflow, requested));
  if (id === undefined) return undefined;
  idsOf(ctx).set(place, id);
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

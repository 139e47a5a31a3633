import { LRUCache } from "lru-cache";
import type { Ctx } from "../../../platform/context.ts";
import { sql } from "../../../platform/database/sql.ts";
import { perService } from "../../../platform/service-state.ts";
import type { StepDefinition, WorkflowDefinition } from "../plan/definition.ts";

export type WorkflowVersion = {
  project_id: string;
  id: string;
  workflow_id: string;
  version: number;
  definition: WorkflowDefinition;
  payload_schema: object | null;
  byRef: ReadonlyMap<string, StepDefinition>;
};

const MAX_CACHED_VERSIONS = 2_000;
const cacheOf = perService(() => new LRUCache<string, WorkflowVersion>({ max: MAX_CACHED_VERSIONS }));

/** A version never changes, so it is read once. */
export async function findWorkflowVersion(ctx: Ctx, project_id: string, version_id: string): Promise<WorkflowVersion> {
  const known = cacheOf(ctx).get(version_id);
  if (known?.project_id === project_id) return known;
  const version = await readVersion(ctx, project_id, version_id);
  cacheOf(ctx).set(version_id, version);
  return version;
}

type Row = Omit<WorkflowVersion, "definition" | "byRef"> & WorkflowDefinition;

async function readVersion(ctx: Ctx, project_id: string, version_id: string): Promise<WorkflowVersion> {
  const { rows } = await sql<Row>`
    select project_id, id, workflow_id, version, steps, timeout_secs, max_parallel_steps, payload_schema
    from workflow_versions where project_id = ${project_id} and id = ${version_id}`.execute(ctx.db);
  if (!rows[0]) throw new Error(`there is no workflow version ${version_id}`);
  const { steps, timeout_secs, max_parallel_steps, ...rest } = rows[0];
  const byRef = new Map(steps.map((step) => [step.step_ref, step]));
  return { ...rest, definition: { steps, timeout_secs, max_parallel_steps }, byRef };
}

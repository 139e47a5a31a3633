import type { Actor } from "../../../platform/actor.ts";
import type { Ctx } from "../../../platform/context.ts";
import { type Sql, sql } from "../../../platform/database/sql.ts";
import { findWorkflowVersion, type WorkflowVersion } from "../start/workflow-version.ts";
import {
  checkMigration,
  type MigratedRun,
  type MigrationCheck,
  type MigrationTarget,
  stepChanges,
} from "./check-migration.ts";

/** Which runs of a workflow migrate to which of its versions. */
export type MigrationRequest = {
  project_id: string;
  workflow_id: string;
  target: WorkflowVersion;
  from_version_id: string | null;
  /** The runs visible to the caller, as a predicate over `workflow_runs w`. */
  seen: Sql;
  by: Actor;
};

export type CheckedRun = { workflow_run_id: string; from: WorkflowVersion | null; check: MigrationCheck };

/**
 * The check for each of these runs. Final under their locks; a preview without. A run and its steps are read by one
 * statement: one snapshot, with or without the locks.
 */
export async function checkMigrations(
  ctx: Ctx,
  request: MigrationRequest,
  ids: readonly string[],
): Promise<CheckedRun[]> {
  const rows = new Map((await readRuns(ctx, request, ids)).map((row) => [row.id, row]));
  const versions = new Map<string, { from: WorkflowVersion; target: MigrationTarget }>();
  const checked: CheckedRun[] = [];
  for (const workflow_run_id of ids) {
    const row = rows.get(workflow_run_id);
    if (!row) {
      checked.push({ workflow_run_id, from: null, check: NOT_FOUND });
      continue;
    }
    const known = versions.get(row.version_id) ?? (await compareWith(ctx, request, row.version_id));
    versions.set(row.version_id, known);
    checked.push({ workflow_run_id, from: known.from, check: checkMigration(row, known.target) });
  }
  return checked;
}

const NOT_FOUND: MigrationCheck = {
  kind: "incompatible",
  reasons: [{ step_ref: null, code: "not_found", fields: [], message: "There is no such run of this workflow." }],
};

async function compareWith(ctx: Ctx, request: MigrationRequest, version_id: string) {
  const from = await findWorkflowVersion(ctx, request.project_id, version_id);
  const changes = stepChanges(from.definition, request.target.definition);
  const refs = new Set(request.target.byRef.keys());
  return { from, target: { version_id: request.target.id, refs, changes, from_version_id: request.from_version_id } };
}

async function readRuns(
  ctx: Ctx,
  { project_id, workflow_id, seen }: MigrationRequest,
  ids: readonly string[],
): Promise<(MigratedRun & { id: string })[]> {
  const { rows } = await sql<MigratedRun & { id: string }>`
    select w.id, w.status, w.phase, w.version_id, coalesce(s.steps, '[]') as steps
    from unnest(${ids}::uuid[]) as g(id)
    join workflow_runs w on w.project_id = ${project_id} and w.id = g.id and w.workflow_id = ${workflow_id} and ${seen}
    left join lateral (
      select json_agg(json_build_object('step_ref', s.step_ref, 'status', s.status, 'generation', s.generation)
        order by s.position) as steps
      from step_runs s where s.project_id = ${project_id} and s.workflow_run_id = w.id
    ) s on true`.execute(ctx.db);
  return rows;
}

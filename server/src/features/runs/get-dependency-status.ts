import type { RunDependencyStatus } from "@millrace/contract/run-dependencies";
import { sql } from "kysely";
import { isSatisfied } from "../../flow/runs/dependencies/link-dependencies.ts";
import { listDefinitions } from "../../flow/runs/dependencies/list-definitions.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { getRun } from "./get-run.ts";

type Dependency = RunDependencyStatus["dependencies"][number];

/** Returns the run's dependencies with the current state of each. */
export async function getDependencyStatus(ctx: ProjectCtx, id: string): Promise<RunDependencyStatus> {
  const run = await getRun(ctx, id);
  const [definitions, dependencies] = await Promise.all([
    listDefinitions(ctx, ctx.project_id, run.job_id),
    listDependencies(ctx, run.id),
  ]);
  const unblocked = dependencies.every(({ state }) => state === "satisfied");
  return { run_id: run.id, status: run.status, unblocked, definitions, dependencies };
}

export async function listDependencies(ctx: ProjectCtx, run_id: string): Promise<Dependency[]> {
  const { rows } = await sql<Omit<Dependency, "state"> & { seen: string | null }>`
    select d.depends_on_run_id as run_id, d.depends_on_job_id as job_id, d.source, d.condition, d.ended_as as seen,
      coalesce(d.ended_as, r.status) as status, d.settled_at
    from run_dependencies d
    left join lateral (
      select r.status from runs r where r.project_id = d.project_id and r.id = d.depends_on_run_id offset 0
    ) r on true
    where d.project_id = ${ctx.project_id} and d.run_id = ${run_id}
    order by d.depends_on_run_id`.execute(ctx.db);
  return rows.map(({ seen, ...row }) => ({ ...row, state: stateOf(row.condition, seen) }));
}

/** Uses the recorded end of the dependency, because that is what unblocks the run. */
function stateOf(condition: Dependency["condition"], seen: string | null): Dependency["state"] {
  if (seen === null) return "open";
  return isSatisfied(condition, seen) ? "satisfied" : "failed";
}

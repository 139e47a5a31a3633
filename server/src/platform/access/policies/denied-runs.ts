import type { Access, ProjectCtx } from "../../context.ts";
import { type Sql, sql } from "../../database/sql.ts";
import { readAccess } from "./policies.ts";
import { visible, withinPolicies } from "./visibility.ts";

/** Predicates: whether policies forbid the caller to read the object that a column names. A null column is not denied. */
export type DeniedRuns = {
  run: (id: Sql) => Sql;
  workflowRun: (id: Sql) => Sql;
  /** The same for the object or anything below it: steps reveal the contents of their workflow run. */
  tree: (id: Sql) => Sql;
};

/**
 * For rows that are read with another scope than the run they describe: steps contain its output, waits its result.
 * Only denies count there, since those rows are part of what the other scope reads. Undefined: nothing is denied.
 */
export async function readDeniedRuns(ctx: ProjectCtx): Promise<DeniedRuns | undefined> {
  const runs = await deniesOf(ctx, "runs:read");
  const workflows = await deniesOf(ctx, "workflows:read");
  if (runs.policies.length + workflows.policies.length === 0) return undefined;
  const run: DeniedRuns["run"] = (id) => sql`exists (
    select 1 from runs denied where denied.project_id = ${ctx.project_id} and denied.id = ${id}
      and not ${withinPolicies(runs, "runs", "denied")})`;
  const workflowRun: DeniedRuns["workflowRun"] = (id) => sql`exists (
    select 1 from workflow_runs denied where denied.project_id = ${ctx.project_id} and denied.id = ${id}
      and not ${withinPolicies(workflows, "workflow_runs", "denied")})`;
  const tree: DeniedRuns["tree"] = (id) => sql`exists (
    with recursive below as (
      select ${id} as id where ${id} is not null
      union
      select c.id from below b join workflow_runs c
        on c.project_id = ${ctx.project_id} and c.parent_workflow_run_id = b.id
    )
    select 1 from below b where ${workflowRun(sql`b.id`)} or exists (
      select 1 from runs denied where denied.project_id = ${ctx.project_id} and denied.workflow_run_id = b.id
        and not ${withinPolicies(runs, "runs", "denied")}))`;
  return { run, workflowRun, tree };
}

async function deniesOf(ctx: ProjectCtx, action: "runs:read" | "workflows:read"): Promise<Access> {
  const access = await readAccess(ctx, ctx.caller, ctx.project_id, action);
  return { ...access, isHeld: true, policies: access.policies.filter(({ effect }) => effect === "deny") };
}

/** `visible` for event triggers: a deny on the waiting run also covers its wait. */
export async function visibleTrigger(ctx: ProjectCtx, alias: string): Promise<Sql> {
  const denied = await readDeniedRuns(ctx);
  const seen = visible(ctx, "event_triggers", alias);
  if (!denied) return seen;
  const column = (name: string) => sql.ref(`${alias}.${name}`);
  return sql`(${seen} and not ${denied.run(column("job_run_id"))}
    and not ${denied.workflowRun(column("workflow_run_id"))})`;
}

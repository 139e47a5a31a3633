import { sql } from "kysely";
import type { Ctx, InTransaction } from "../../../platform/context.ts";

/** An active workflow run that was started by a step of another, directly or transitively. */
export type RunBelow = {
  id: string;
  parent_workflow_run_id: string;
  status: string;
  pause_inherited: boolean;
  is_compensating: boolean;
};

export type Subtree = {
  project_id: string;
  workflow_run_ids: readonly string[];
  /** Only what these steps have started. Absent: what any step has. */
  refs?: readonly string[];
};

/**
 * Locks the active descendants of workflow runs whose locks are held, level by level: a run is started under the lock
 * of its parent, and each level is read after its parents were locked, so none is missed and none is added until the
 * transaction ends. `isHint`: locked runs are skipped, since the caller holds the locks of several subtrees and must
 * not wait.
 */
export async function lockBelow(tx: Ctx & InTransaction, subtree: Subtree, isHint = false): Promise<RunBelow[]> {
  const below: RunBelow[] = [];
  let level = await lockLevel(tx, subtree, isHint);
  while (level.length > 0) {
    below.push(...level);
    const workflow_run_ids = level.map((run) => run.id);
    level = await lockLevel(tx, { project_id: subtree.project_id, workflow_run_ids }, isHint);
  }
  return below;
}

async function lockLevel(
  tx: Ctx & InTransaction,
  { project_id, workflow_run_ids, refs }: Subtree,
  isHint: boolean,
): Promise<RunBelow[]> {
  const ofSteps = refs ? sql`and split_part(c.parent_step_ref, '[', 1) = any(${[...refs]}::text[])` : sql``;
  const { rows } = await sql<RunBelow>`
    select c.id, c.parent_workflow_run_id, c.status, c.pause_inherited, c.planned_end is not null as is_compensating
    from workflow_runs c
    where c.parent_workflow_run_id = any(${[...workflow_run_ids]}::uuid[]) and c.project_id = ${project_id}
      and c.finished_at is null ${ofSteps}
    order by c.id for no key update ${isHint ? sql`skip locked` : sql``}`.execute(tx.db);
  return rows;
}

/** All current descendants of a workflow run, ended or not. */
export async function listBelow(ctx: Ctx, project_id: string, workflow_run_id: string): Promise<ListedRun[]> {
  const below: ListedRun[] = [];
  for (let level = [workflow_run_id]; level.length > 0; ) {
    const { rows } = await sql<ListedRun>`
      select id, status, finished_at is not null as has_ended from workflow_runs
      where parent_workflow_run_id = any(${level}::uuid[]) and project_id = ${project_id}`.execute(ctx.db);
    below.push(...rows);
    level = rows.map((run) => run.id);
  }
  return below;
}

type ListedRun = { id: string; status: string; has_ended: boolean };

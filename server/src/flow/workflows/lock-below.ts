import { sql } from "kysely";
import type { Ctx, InTransaction } from "../../platform/context.ts";

/** A live workflow run that a step of another has started, be it through others. */
export type RunBelow = { id: string; workflow_id: string; status: string; is_compensating: boolean };

export type Subtree = {
  project_id: string;
  workflow_run_ids: readonly string[];
  /** Only what these steps have started. Absent: what any step has. */
  refs?: readonly string[];
};

/**
 * Locks the live workflow runs below others whose locks are held. A run is started under the lock of the one above it:
 * once all that are seen are locked and none is new, the subtree stands still until the transaction ends. `isHint`: runs
 * that others hold are left out, since the caller holds the locks of several subtrees and must not wait.
 */
export async function lockBelow(tx: Ctx & InTransaction, subtree: Subtree, isHint = false): Promise<RunBelow[]> {
  for (let seen = 0; ; ) {
    const below = await lockSeen(tx, subtree, isHint);
    if (isHint || below.length <= seen) return below;
    seen = below.length;
  }
}

async function lockSeen(
  tx: Ctx & InTransaction,
  { project_id, workflow_run_ids, refs }: Subtree,
  isHint: boolean,
): Promise<RunBelow[]> {
  const ofSteps = refs ? sql`and split_part(c.parent_step_ref, '[', 1) = any(${[...refs]}::text[])` : sql``;
  const { rows } = await sql<RunBelow>`
    with recursive below as (
      select c.id from unnest(${[...workflow_run_ids]}::uuid[]) as g(id), lateral (
        select c.id from workflow_runs c
        where c.parent_workflow_run_id = g.id and c.project_id = ${project_id} and c.finished_at is null ${ofSteps}
        offset 0
      ) c
      union
      select c.id from below b, lateral (
        select c.id from workflow_runs c
        where c.parent_workflow_run_id = b.id and c.project_id = ${project_id} and c.finished_at is null offset 0
      ) c
    )
    select w.id, w.workflow_id, w.status, w.planned_end is not null as is_compensating
    from (select id from below order by id) b, lateral (
      select * from workflow_runs w
      where w.project_id = ${project_id} and w.id = b.id and w.finished_at is null
      for no key update ${isHint ? sql`skip locked` : sql``}
    ) w`.execute(tx.db);
  return rows;
}

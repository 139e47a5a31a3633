import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { sql } from "../../../platform/database/sql.ts";

export type WorkflowKey = { project_id: string; workflow_id: string };

/** The counter of a workflow's `max_concurrent_runs`, which is also the reason its runs are blocked on. */
export function workflowSlot(workflow_id: string): string {
  return `workflow:${workflow_id}`;
}

/**
 * Takes the advisory lock of each workflow's `max_concurrent_runs`, shared, so that the limit does not change until the
 * transaction ends. Every start and end of a run holds it, also in a workflow without a limit. A change of the limit
 * waits for them, counts the runs that they leave and is seen by those that follow. Read the limit in a later
 * statement. A lock on the row of the workflow would not do: under steady load, shared row locks never let a change
 * through.
 */
export async function lockLimitsShared(tx: Ctx & InTransaction, workflows: readonly WorkflowKey[]): Promise<void> {
  await sql`
    /* prepared */
    select pg_advisory_xact_lock_shared(h) from (
      select distinct hashtextextended(k, 0) as h from unnest(${workflows.map(limitName)}::text[]) as k order by h
    ) as ordered`.execute(tx.db);
}

/** The counterpart, for the change: no run of the workflow starts or ends until the transaction ends. */
export async function lockLimitExclusive(tx: Ctx & InTransaction, workflow: WorkflowKey): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${limitName(workflow)}, 0))`.execute(tx.db);
}

function limitName({ project_id, workflow_id }: WorkflowKey): string {
  return `max_concurrent_runs:${project_id}:${workflow_id}`;
}

/** The limited ones among these workflows. */
export async function listLimited(
  tx: Ctx & InTransaction,
  workflows: readonly WorkflowKey[],
): Promise<(WorkflowKey & { max: number })[]> {
  const { rows } = await sql<WorkflowKey & { max: number }>`
    /* prepared */
    select f.project_id, f.id as workflow_id, f.max_concurrent_runs as max
    from (
      select distinct * from json_to_recordset(${JSON.stringify(workflows.map(keyOf))}::json)
        as k(project_id uuid, workflow_id uuid)
    ) k, lateral (
      select f.project_id, f.id, f.max_concurrent_runs from workflows f
      where f.project_id = k.project_id and f.id = k.workflow_id offset 0
    ) f
    where f.max_concurrent_runs is not null
    order by f.project_id, f.id`.execute(tx.db);
  return rows;
}

function keyOf({ project_id, workflow_id }: WorkflowKey): WorkflowKey {
  return { project_id, workflow_id };
}

/**
 * Takes slots, whether they are free or not; a negative count releases them. From then on the counter is locked.
 * Returns how many are taken.
 */
export async function moveSlots(
  tx: Ctx & InTransaction,
  { project_id, workflow_id }: WorkflowKey,
  count: number,
): Promise<number> {
  const { rows } = await sql<{ active: number }>`
    insert into concurrency_counters as c (project_id, key, active)
    values (${project_id}, ${workflowSlot(workflow_id)}, greatest(0, ${count}::int))
    on conflict (project_id, key) do update set active = greatest(0, c.active + ${count}::int)
    returning active`.execute(tx.db);
  return rows[0]?.active ?? 0;
}

/** A reopened run takes a slot even if none is free. */
export async function takeSlot(tx: Ctx & InTransaction, workflow: WorkflowKey): Promise<void> {
  await lockLimitsShared(tx, [workflow]);
  if ((await listLimited(tx, [workflow])).length > 0) await moveSlots(tx, workflow, 1);
}

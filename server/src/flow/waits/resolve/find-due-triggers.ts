import { type RawBuilder, sql } from "kysely";
import type { Ctx, InTransaction } from "../../../platform/context.ts";
import type { TriggerKey } from "../notify-triggers.ts";
import type { WaitKind } from "../send/internal-key.ts";

export type DueTrigger = TriggerKey & { wait_kind: WaitKind };

/** Which triggers: `and …`, or empty for those of all projects. */
type Choice = { ofProject: RawBuilder<unknown>; max: number };

/** Due triggers of runs, the longest due first, locked before everything that belongs to them. */
export async function lockDueOfRuns(tx: Ctx & InTransaction, { ofProject, max }: Choice): Promise<DueTrigger[]> {
  const { rows } = await sql<DueTrigger>`
    select project_id, id as trigger_id, wait_kind from event_triggers
    where status = 'waiting' and expires_at <= clock() and source_type = 'job_run' ${ofProject}
    order by expires_at limit ${max} for update skip locked`.execute(tx.db);
  return rows;
}

/**
 * Due triggers of steps, whose workflow runs are locked first. A step that is being progressed is handled in the next
 * pass; one whose workflow run is gone has nothing to lock, and must not block the others for ever.
 */
export async function lockDueOfSteps(tx: Ctx & InTransaction, { ofProject, max }: Choice): Promise<DueTrigger[]> {
  const { rows } = await sql<DueTrigger>`
    with due as materialized (
      select project_id, id, workflow_run_id, wait_kind from event_triggers
      where status = 'waiting' and expires_at <= clock() and source_type = 'workflow_step' ${ofProject}
      order by expires_at limit ${max}
    ),
    locked as materialized (
      select w.project_id, w.id from (
        select distinct project_id, workflow_run_id from due order by workflow_run_id
      ) d, lateral (
        select w.project_id, w.id from workflow_runs w
        where w.project_id = d.project_id and w.id = d.workflow_run_id for no key update skip locked
      ) w
    )
    select d.project_id, d.id as trigger_id, d.wait_kind from due d
    where exists (select 1 from locked l where l.project_id = d.project_id and l.id = d.workflow_run_id)
      or not exists (
        select 1 from workflow_runs w where w.project_id = d.project_id and w.id = d.workflow_run_id)`.execute(tx.db);
  return rows;
}

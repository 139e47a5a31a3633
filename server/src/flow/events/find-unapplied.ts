import type { Ctx } from "../../platform/context.ts";
import { sql } from "../../platform/database/sql.ts";
import { perService } from "../../platform/service-state.ts";
import type { EndedTrigger } from "../waits/end-triggers.ts";
import { TRIGGER_COLUMNS } from "../waits/find-trigger.ts";
import type { TriggerKey } from "../waits/trigger-changes.ts";

export const GRACE_SECS = 30;
const RECENT_SECS = 300;
const MAX_BATCH = 20_000;
const WALKED_PER_PASS = 5_000;

type Cursor = { finished_at: string; id: string };
const START: Cursor = { finished_at: "-infinity", id: "00000000-0000-0000-0000-000000000000" };

/** The position of the scan over all ended triggers. */
const scanOf = perService(() => ({ ...START }));

/**
 * Ended triggers whose run or step still waits, after the grace period; below a canceled workflow run the outbox ends
 * them. Those of the last minutes are read in every pass, the older ones page by page.
 */
export async function findUnapplied(ctx: Ctx): Promise<EndedTrigger[]> {
  const keys = [...(await listRecent(ctx)), ...(await scanNext(ctx))];
  const { rows } = await sql<EndedTrigger>`
    select distinct on (t.id) ${TRIGGER_COLUMNS}, t.generation
    from unnest(${keys.map((key) => key.project_id)}::uuid[], ${keys.map((key) => key.trigger_id)}::uuid[])
      as g(project_id, trigger_id)
    join event_triggers t on t.project_id = g.project_id and t.id = g.trigger_id
    where exists (
      select 1 from runs r
      where r.project_id = t.project_id and r.id = t.job_run_id and r.status = 'waiting' and r.waits = t.ordinal
        and not exists (
          select 1 from workflow_runs w
          where w.project_id = r.project_id and w.id = r.workflow_run_id
            and (w.stopped is not null or w.finished_at is not null))
    ) or exists (
      select 1 from step_runs s join workflow_runs w on w.project_id = s.project_id and w.id = s.workflow_run_id
      where s.project_id = t.project_id and s.workflow_run_id = t.workflow_run_id and s.status = 'waiting'
        and s.event_trigger_id = t.id and w.stopped is null
    )`.execute(ctx.db);
  return rows;
}

async function listRecent(ctx: Ctx): Promise<TriggerKey[]> {
  const { rows } = await sql<TriggerKey>`
    select project_id, id as trigger_id from event_triggers
    where status <> 'waiting' and finished_at > clock() - ${RECENT_SECS} * interval '1 second'
      and finished_at <= clock() - ${GRACE_SECS} * interval '1 second'
    order by finished_at desc limit ${MAX_BATCH}`.execute(ctx.db);
  return rows;
}

/** The next page of the scan; after the last it starts again. */
async function scanNext(ctx: Ctx): Promise<TriggerKey[]> {
  const walk = scanOf(ctx);
  const { rows } = await sql<TriggerKey & { finished_at: string }>`
    select project_id, id as trigger_id, finished_at from event_triggers
    where status <> 'waiting' and (finished_at, id) > (${walk.finished_at}::timestamptz, ${walk.id}::uuid)
      and finished_at <= clock() - ${GRACE_SECS} * interval '1 second'
    order by finished_at, id limit ${WALKED_PER_PASS}`.execute(ctx.db);
  const last = rows.length === WALKED_PER_PASS ? rows.at(-1) : undefined;
  Object.assign(walk, last ? { finished_at: last.finished_at, id: last.trigger_id } : START);
  return rows;
}

import { newOrder } from "../compare/order.mjs";
import { OURS } from "../start-millrace.mjs";
import { countWaiting } from "./observe.mjs";
import { until } from "./until.mjs";

export const PER_PREFIX = 500;
const PAGE = 50_000;

/** Creates copies of a waiting workflow run made by the service: run, steps, trigger and counts, one page at a time. */
export async function seedWaits({ client, send }, waiting) {
  const before = await countWaiting({ client });
  await send("/v1/workflows/wait/trigger", { payload: { ...newOrder(0), event: "the-original" } });
  await until("the original to wait", async () => (await countWaiting({ client })) > before);
  for (let from = 0; from < waiting; from += PAGE) {
    const to = Math.min(waiting, from + PAGE);
    const { rowCount } = await client.query(SEED, [from, to - 1, PER_PREFIX]);
    if (rowCount !== to - from) throw new Error(`${rowCount} waits were seeded instead of ${to - from}`);
    if (to % 200_000 === 0) process.stderr.write(`${to.toLocaleString("en")} waits seeded\n`);
  }
  await client.query(COUNT, [waiting]);
}

/** The key of a seeded wait: `PER_PREFIX` of them share the part before the colon. */
export const seededKey = (nth) => `group-${Math.floor(nth / PER_PREFIX)}:${nth}`;

const SEED = `
  with ids as materialized (
    select i, uuidv7() as run_id, uuidv7() as trigger_id, uuidv7() as step_run_id
    from generate_series($1::int, $2::int) i
  ),
  original as materialized (
    select event_triggers, workflow_runs from event_triggers
    join workflow_runs on workflow_runs.project_id = event_triggers.project_id
      and workflow_runs.id = event_triggers.workflow_run_id
    where event_triggers.status = 'waiting' and event_triggers.event_key = 'the-original'
  ),
  runs as (
    insert into workflow_runs
    select copy.* from ids, original,
      jsonb_populate_record(workflow_runs, jsonb_build_object('id', run_id)) copy
  ),
  steps as (
    insert into step_runs
    select copy.* from ids, original, lateral (
      select s as step from step_runs s
      where s.project_id = (workflow_runs).project_id and s.workflow_run_id = (workflow_runs).id
    ) s, jsonb_populate_record(step, case when (step).event_trigger_id is null
      then jsonb_build_object('workflow_run_id', run_id, 'id', uuidv7())
      else jsonb_build_object('workflow_run_id', run_id, 'id', step_run_id, 'event_trigger_id', trigger_id) end) copy
  )
  insert into event_triggers
  select copy.* from ids, original,
    jsonb_populate_record(event_triggers, jsonb_build_object('id', trigger_id, 'workflow_run_id', run_id,
      'workflow_step_run_id', step_run_id, 'event_key', 'group-' || i / $3::int || ':' || i,
      'expires_at', (event_triggers).expires_at + i * interval '1 millisecond')) copy`;

const COUNT = `
  update event_trigger_counts set waiting = waiting + $1, active = active + $1
  where (project_id, shard) = (select project_id, shard from event_trigger_counts
    where project_id = ${OURS} and waiting > 0 order by shard limit 1)`;

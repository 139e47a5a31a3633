import { recountedRollups, storedRollups } from "../../oracles/rollup-recount.ts";
import { recountedErrors, recountedWorkflows } from "../../oracles/rollup-recount-others.ts";
import type { Json } from "../differential/json.ts";
import type { Project } from "../differential/project.ts";
import { readRows, readRowsOf } from "./read-rows.ts";
import type { Compared } from "./recount-published.ts";

/** Each dispatch of the project's runs: from a claim to the transition after it, with the usage of its attempt. */
const DISPATCHES = `
  dispatches as (
    select r.*, w.workflow_id, t.to_status, t.cause, d.wall_ms, floor((d.wall_ms * p.compute_rate_microusd_per_sec + 500) / 1000) as compute,
      coalesce((select sum(u.cost_microusd) from run_usage u
        where u.project_id = t.project_id and u.run_id = t.run_id and u.attempt = t.attempt), 0) as reported
    from run_history t join run_history c on c.project_id = t.project_id and c.run_id = t.run_id and c.ordinal = t.ordinal - 1
    join runs r on r.project_id = t.project_id and r.id = t.run_id
    join projects p on p.id = t.project_id
    left join workflow_runs w on w.project_id = r.project_id and w.id = r.workflow_run_id
    cross join lateral (select round(extract(epoch from t.created_at - c.created_at) * 1000) as wall_ms) d
    where t.project_id = $1 and t.from_status = 'running' and c.to_status = 'running'
  ),
  reports as (
    select r.*, w.workflow_id, u.provider, u.model, u.cost_microusd as reported, coalesce(u.input_tokens, 0) as input_tokens,
      coalesce(u.output_tokens, 0) as output_tokens
    from run_usage u join runs r on r.project_id = u.project_id and r.id = u.run_id
    left join workflow_runs w on w.project_id = r.project_id and w.id = r.workflow_run_id
    where u.project_id = $1
  )`;

const OUTCOME = `case
  when to_status = 'timed_out' and cause = 'heartbeat_lost' then 'silent' when to_status <> 'pending' then to_status
  when cause = 'retry' then 'retried' when cause = 'timeout' then 'retried_after_timeout'
  when cause = 'heartbeat_lost' then 'retried_after_silence' when cause = 'lease_lost' then 'retried_after_crash'
  else 'drained' end`;

const KIND_OF_CREATOR = `case when created_by ~ '^(run|workflow_run|event):[0-9a-f-]{36}$' then split_part(created_by, ':', 1) else created_by end`;

/** The groups of a cost. Not those of tags, which a run may get after its cost was recorded. */
const GROUPS = `
  select 'concurrency_key' as kind, coalesce(concurrency_key, '') as name, '' as value
  union all select 'created_by', ${KIND_OF_CREATOR}, ''
  union all select 'workflow', coalesce(workflow_id::text, ''), ''
  union all select 'schedule', schedule_id::text, '' where schedule_id is not null`;

const SUMS = `sum(reported)::int as reported, sum(compute)::int as compute, sum(wall)::int as wall, sum(busy)::int as busy,
  sum(dispatched)::int as dispatched, max(longest)::int as longest, sum(dispatches)::int as dispatches, sum(reports)::int as reports,
  sum(input_tokens)::int as input_tokens, sum(output_tokens)::int as output_tokens`;

const COSTS_FROM_RUNS = `
  with ${DISPATCHES}, parts as (
    select 'job' as kind, environment_id, job_id, ${OUTCOME} as name, '' as value, 0 as reported, compute, wall_ms as wall, wall_ms as busy,
      reported as dispatched, wall_ms as longest, 1 as dispatches, 0 as reports, 0 as input_tokens, 0 as output_tokens
    from dispatches
    union all
    select 'job', environment_id, job_id, '', '', reported, 0, 0, 0, 0, 0, 0, 1, input_tokens, output_tokens from reports
    union all
    select g.kind, environment_id, job_id, g.name, g.value, 0, compute, wall_ms, 0, 0, 0, 1, 0, 0, 0
    from dispatches cross join lateral (${GROUPS}) g
    union all
    select g.kind, environment_id, job_id, g.name, g.value, reported, 0, 0, 0, 0, 0, 0, 1, input_tokens, output_tokens
    from reports cross join lateral (${GROUPS} union all select 'model', coalesce(provider, ''), coalesce(model, '')) g
  )
  select concat_ws(' ', kind, g.grain, environment_id, job_id, name, value) as key, ${SUMS} from parts
  cross join unnest(case kind when 'job' then array['1m', '1h', '1d'] else array['1d'] end) as g(grain)
  group by 1 order by 1`;

const COSTS_STORED = `
  with parts as (
    select kind, grain, environment_id, job_id, name, value, reported_microusd as reported, compute_microusd as compute, wall_ms as wall,
      busy_ms as busy, dispatch_reported_microusd as dispatched, longest_ms as longest, dispatches, reports, input_tokens, output_tokens
    from cost_rollups where project_id = $1 and kind <> 'tag'
  )
  select concat_ws(' ', kind, grain, environment_id, job_id, name, value) as key, ${SUMS} from parts group by 1 order by 1`;

const USAGE_FROM_RUNS = `
  with ${DISPATCHES}
  select e.*, (select count(*)::int from dispatches) as dispatches,
    (select coalesce(sum(wall_ms), 0)::int from dispatches) as compute_ms,
    (select coalesce(sum(compute), 0)::int from dispatches) as compute_microusd,
    -- the usage of a dispatch is recorded when it ends
    (select coalesce(sum(reported), 0)::int from dispatches) as reported_microusd
  from (
    select count(*) filter (where to_status = 'completed')::int as completed,
      count(*) filter (where to_status = 'failed')::int as failed,
      count(*) filter (where to_status = 'timed_out')::int as timed_out,
      count(*) filter (where to_status = 'canceled')::int as canceled
    from run_history where project_id = $1
  ) e`;

const USAGE_STORED = `
  select coalesce(sum(completed), 0)::int as completed, coalesce(sum(failed), 0)::int as failed,
    coalesce(sum(timed_out), 0)::int as timed_out, coalesce(sum(canceled), 0)::int as canceled,
    coalesce(sum(dispatches), 0)::int as dispatches, coalesce(sum(compute_ms), 0)::int as compute_ms,
    coalesce(sum(compute_microusd), 0)::int as compute_microusd, coalesce(sum(reported_microusd), 0)::int as reported_microusd
  from usage_periods where project_id = $1`;

const JOB_COSTS_FROM_RUNS = `
  with ${DISPATCHES}
  select r.job_id::text as key, array_agg((r.cost_microusd + coalesce(d.compute, 0))::int order by 1) as costs from runs r
  left join (select id, sum(compute) as compute from dispatches group by id) d on d.id = r.id
  where r.project_id = $1 and r.finished_at is not null and r.attempt > 0 group by r.job_id order by 1`;

const JOB_COSTS_STORED = `
  select job_id::text as key, recent::int[] as costs from job_costs where project_id = $1 order by 1`;

const BUDGET_FROM_RUNS = `
  select coalesce((select (sum(u.compute_microusd) + sum(u.reported_microusd))::int from usage_periods u where u.project_id = $1), 0) as settled,
    coalesce((select sum(b.microusd)::int from budget_reservations b where b.project_id = $1), 0) as reserved,
    0 as reserved_for_nothing
  from project_budgets where project_id = $1`;

const BUDGET_STORED = `
  select settled_microusd::int as settled, reserved_microusd::int as reserved, (
      select count(*)::int from budget_reservations b join runs r on r.project_id = b.project_id and r.id = b.run_id
      where b.project_id = $1 and r.finished_at is not null) as reserved_for_nothing
  from project_budgets where project_id = $1`;

const TRIGGERS = `
  select count(*) filter (where status = 'waiting')::int as waiting, count(*) filter (where status = 'received')::int as received,
    count(*) filter (where status = 'timed_out')::int as timed_out, count(*) filter (where status = 'canceled')::int as canceled
  from event_triggers where project_id = $1`;

/** All that is summed from the changelog, and the same counted from runs, their history and their reports. */
export async function recountSums(project: Project, isErased: boolean): Promise<Compared> {
  const { connection } = project.build;
  const read = (statement: string) => readRows<Json>(project, statement);
  const [costs, costsStored, usage, usageStored, jobCosts, jobCostsStored] = await Promise.all([
    ...[read(COSTS_FROM_RUNS), read(COSTS_STORED), read(USAGE_FROM_RUNS), read(USAGE_STORED)],
    ...[read(JOB_COSTS_FROM_RUNS), read(JOB_COSTS_STORED)],
  ]);
  const [budget, budgetStored, triggers, stats] = await Promise.all([
    ...[read(BUDGET_FROM_RUNS), read(BUDGET_STORED), read(TRIGGERS), project.api.get("/v1/events/stats")],
  ] as const);
  const { waiting, received, timed_out, canceled } = stats.body;
  const sorted = (rows: Json[]) =>
    byKey(rows.map((row) => ({ ...row, costs: row.costs.toSorted((a: number, b: number) => a - b) })));
  const errors = async (rollups: Promise<string[]>) => (isErased ? [] : rollups);
  return {
    tables: {
      runs: await recountedRollups(connection, project.id, readRowsOf),
      workflows: await recountedWorkflows(connection, project.id, readRowsOf),
      errors: await errors(recountedErrors(connection, project.id, readRowsOf)),
      ...{ costs: byKey(costs ?? []), usage, job_costs: sorted(jobCosts ?? []), budget, triggers: triggers[0] },
    },
    shown: {
      runs: await storedRollups(connection, project.id, "runs", readRowsOf),
      workflows: await storedRollups(connection, project.id, "workflows", readRowsOf),
      errors: await errors(storedRollups(connection, project.id, "errors", readRowsOf)),
      ...{
        costs: byKey(costsStored ?? []),
        usage: usageStored,
        job_costs: sorted(jobCostsStored ?? []),
        budget: budgetStored,
      },
      triggers: { waiting, received, timed_out, canceled },
    },
  };
}

function byKey(rows: Json[]): Record<string, Json> {
  return Object.fromEntries(rows.map(({ key, ...row }) => [key, row]));
}

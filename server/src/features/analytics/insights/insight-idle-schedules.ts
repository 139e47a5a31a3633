import { visible, visibleSchedule } from "../../../platform/access/policies/visibility.ts";
import type { ProjectCtx } from "../../../platform/context.ts";
import { type Sql, sql } from "../../../platform/database/sql.ts";
import { firstIdAt } from "../../../platform/ids.ts";
import { exactSum } from "../costs/cost-queries.ts";
import type { Range } from "../reports/range.ts";
import { type Draft, draftOf } from "./insight-samples.ts";

const MAX_SCHEDULES = 50;
const MAX_RUNS = 50;
const MIN_RUNS = 20;
const MIN_SHARE = 0.9;

/** A larger result is not empty. */
const MAX_EMPTY_BYTES = 1_000;

type Row = {
  schedule_id: string;
  job_id: string;
  slug: string;
  cron: string;
  cost_microusd: number;
  sampled: number;
  idle: number;
  with_result: number;
  idle_ids: string[];
};

/**
 * Schedules whose runs find nothing to do. A run is idle when it completed and left nothing that the service can see:
 * an empty result (null, 0, false, "", or lists and objects of such), no usage, output, tool call or child. A job that
 * never returns anything is not reported: at least one run must have returned something, even an empty list. It samples
 * the newest runs of the most expensive schedules.
 */
export async function findIdleSchedules(ctx: ProjectCtx, rows: Sql, range: Range): Promise<Draft[]> {
  const { rows: found } = await sql<Row>`
    select g.*, n.* from (
      select s.id as schedule_id, j.id as job_id, j.slug, s.cron, c.cost_microusd
      from (
        select c.name, ${exactSum(sql`c.reported_microusd`, sql`c.compute_microusd`)} as cost_microusd
        ${rows} and c.part = 'named' group by c.name order by 2 desc limit ${4 * MAX_SCHEDULES}
      ) c
      join schedules s on s.project_id = ${ctx.project_id} and s.id = c.name::uuid and s.paused_at is null
        and ${visibleSchedule(ctx, "s")}
      join jobs j on j.project_id = s.project_id and j.id = s.job_id and j.deleted_at is null
      where c.cost_microusd > 0
      order by c.cost_microusd desc limit ${MAX_SCHEDULES}
    ) g
    cross join lateral (
      select count(*)::int as sampled, count(*) filter (where r.is_idle)::int as idle,
        count(*) filter (where r.has_result)::int as with_result,
        coalesce(array_agg(r.id order by r.id desc) filter (where r.is_idle), '{}') as idle_ids
      from (${newestRuns(ctx, range)}) r
    ) n`.execute(ctx.db);
  return found.filter(isIdle).map(draft);
}

function newestRuns(ctx: ProjectCtx, { from_ms, to_ms }: Range): Sql {
  return sql`
    select r.id, coalesce(r.result, 'null') <> 'null' or not q.is_quiet as has_result,
      r.status = 'completed' and q.is_quiet and ${isEmpty()} as is_idle
    from (
      select r.* from runs r
      where r.project_id = ${ctx.project_id} and r.schedule_id = g.schedule_id and r.schedule_id is not null
        and r.id >= ${firstIdAt(from_ms)} and r.id < ${firstIdAt(to_ms)} and r.finished_at is not null
        and ${visible(ctx, "runs", "r")}
      order by r.id desc limit ${MAX_RUNS}
    ) r
    cross join lateral (
      select r.cost_microusd = 0
        and not exists (select 1 from run_outputs o where o.project_id = ${ctx.project_id} and o.run_id = r.id)
        and not exists (select 1 from run_tool_calls t where t.project_id = ${ctx.project_id} and t.run_id = r.id)
        and not exists (select 1 from runs k where k.project_id = ${ctx.project_id} and k.parent_run_id = r.id
          and k.parent_run_id is not null) as is_quiet
      offset 0
    ) q`;
}

function isEmpty(): Sql {
  return sql`case when r.result is null then true when pg_column_size(r.result) > ${MAX_EMPTY_BYTES} then false
    else not jsonb_path_exists(r.result, 'strict $.** ? ((@.type() == "string" && @ != "")
      || (@.type() == "number" && @ != 0) || (@.type() == "boolean" && @ == true))') end`;
}

function isIdle({ sampled, idle, with_result }: Row): boolean {
  return sampled >= MIN_RUNS && with_result > 0 && idle / sampled >= MIN_SHARE;
}

function draft({ schedule_id, job_id, slug, cron, cost_microusd, sampled, idle, idle_ids }: Row): Draft {
  const saving = Number((BigInt(cost_microusd) * BigInt(idle)) / BigInt(sampled));
  return {
    ...draftOf(
      { job_id, slug },
      {
        rule: "idle_schedule",
        title: `${idle} of the last ${sampled} runs started by a schedule of ${slug} had nothing to do`,
        what_to_change: `Run it less often than ${cron}, or trigger the job by an event when there is work.`,
        estimated_saving_microusd: saving,
        evidence: { cron, sampled_runs: sampled, idle_runs: idle, schedule_cost_microusd: cost_microusd },
        sample: idle_ids,
      },
    ),
    schedule_id,
  };
}

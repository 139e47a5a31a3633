import type { DispatchOutcome } from "../../../flow/runs/dispatch/dispatch-cost.ts";
import type { ProjectCtx } from "../../../platform/context.ts";
import { type Sql, sql } from "../../../platform/database/sql.ts";
import { groupBy } from "../../../platform/group-by.ts";
import { exactSum } from "../costs/cost-queries.ts";

/** Figures of the dispatches with one outcome. */
type OutcomeFigures = {
  dispatches: number;
  compute_microusd: number;
  cost_microusd: number;
  longest_ms: number;
};

/** A job's dispatches in a range, and the settings that the rules use. */
export type JobFigures = {
  job_id: string;
  slug: string;
  timeout_secs: number;
  max_attempts: number;
  dedup_window_secs: number | null;
  compute_rate_microusd_per_sec: number;
  cost_microusd: number;
  of: (...outcomes: DispatchOutcome[]) => OutcomeFigures;
};

type Row = OutcomeFigures & Omit<JobFigures, "of" | "cost_microusd"> & { outcome: string };

/** By job, the most expensive first: one row per job and outcome, for any number of runs. */
export async function readJobFigures(ctx: ProjectCtx, rows: Sql): Promise<JobFigures[]> {
  const { rows: found } = await sql<Row>`
    select s.*, j.slug, j.dedup_window_secs, v.timeout_secs, v.max_attempts, p.compute_rate_microusd_per_sec
    from (
      select c.job_id, c.name as outcome, ${exactSum(sql`c.dispatches`)} as dispatches,
        ${exactSum(sql`c.compute_microusd`)} as compute_microusd,
        ${exactSum(sql`c.compute_microusd`, sql`c.dispatch_reported_microusd`)} as cost_microusd,
        max(c.longest_ms) as longest_ms
      ${rows} and c.part = 'named' group by c.job_id, c.name
    ) s
    join jobs j on j.project_id = ${ctx.project_id} and j.id = s.job_id and j.deleted_at is null
    join job_versions v on v.project_id = j.project_id and v.id = j.version_id
    join projects p on p.id = j.project_id`.execute(ctx.db);
  const jobs = groupBy(found, (row) => row.job_id);
  return [...jobs.values()].flatMap(figuresOf).toSorted(byCost);
}

function figuresOf(rows: Row[]): JobFigures[] {
  const [first] = rows;
  if (!first) return [];
  const { job_id, slug, timeout_secs, max_attempts, dedup_window_secs, compute_rate_microusd_per_sec } = first;
  const byOutcome = new Map(rows.map((row) => [row.outcome, row]));
  const of = (...outcomes: DispatchOutcome[]) => summed(outcomes.flatMap((outcome) => byOutcome.get(outcome) ?? []));
  return [
    {
      ...{ job_id, slug, timeout_secs, max_attempts, dedup_window_secs, compute_rate_microusd_per_sec },
      cost_microusd: summed(rows).cost_microusd,
      of,
    },
  ];
}

function summed(rows: readonly OutcomeFigures[]): OutcomeFigures {
  const sum = (name: "dispatches" | "compute_microusd" | "cost_microusd") =>
    rows.reduce((total, row) => total + row[name], 0);
  return {
    dispatches: sum("dispatches"),
    compute_microusd: sum("compute_microusd"),
    cost_microusd: sum("cost_microusd"),
    longest_ms: Math.max(0, ...rows.map((row) => row.longest_ms)),
  };
}

function byCost(a: JobFigures, b: JobFigures): number {
  return b.cost_microusd - a.cost_microusd || (a.job_id < b.job_id ? -1 : 1);
}

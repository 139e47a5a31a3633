import type { Insight } from "@millrace/contract/analytics/cost-insights";
import { ofEnvironment } from "../../../platform/access/environments.ts";
import { visible } from "../../../platform/access/policies/visibility.ts";
import type { ProjectCtx } from "../../../platform/context.ts";
import { type Sql, sql } from "../../../platform/database/sql.ts";
import { firstIdAt } from "../../../platform/ids.ts";
import type { Range } from "../reports/range.ts";
import type { JobFigures } from "./insight-job-figures.ts";

/** Newest runs of a job that are searched for examples. */
const MAX_SCANNED = 200;
const MAX_SHOWN = 5;

/** The newest runs of a job: how many were read, which match, and how many of the matching ended or completed. */
export type Sampled = { sampled_runs: number; ids: string[]; ended: number; completed: number };

/**
 * An insight before its examples, which are either listed or still to be searched for. `advise` completes the text from
 * the examples found.
 */
export type Draft = Omit<Insight, "sample_run_ids"> & {
  sample: keyof typeof CONDITIONS | readonly string[];
  advise?: (found: Sampled) => Pick<Insight, "what_to_change" | "evidence">;
};

type InsightFields = Omit<Draft, "job_id" | "job_slug" | "schedule_id">;

export function draftOf({ job_id, slug }: Pick<JobFigures, "job_id" | "slug">, fields: InsightFields): Draft {
  return { job_id, job_slug: slug, schedule_id: null, ...fields };
}

/**
 * Conditions on the transition `l` of the run `r`. A run that failed at its only attempt has used one, so `tries_used`
 * cannot be used here.
 */
const CONDITIONS = {
  retried: sql`l.to_status = 'pending' and l.cause in ('retry', 'timeout', 'heartbeat_lost', 'lease_lost')
    and l.attempt < r.attempt`,
  timed_out: sql`l.cause in ('timeout', 'heartbeat_lost')`,
};

type Requested = { range: Range; environment_id?: string | undefined };

/** Searches the newest runs of each job for examples. They only illustrate; the figures do not depend on them. */
export async function sampleRuns(ctx: ProjectCtx, drafts: readonly Draft[], requested: Requested): Promise<Insight[]> {
  return Promise.all(
    drafts.map(async ({ sample, advise, ...insight }) => {
      if (typeof sample !== "string") return { ...insight, sample_run_ids: sample.slice(0, MAX_SHOWN) };
      const found = await readSamples(ctx, insight.job_id, CONDITIONS[sample], requested);
      return { ...insight, ...advise?.(found), sample_run_ids: found.ids };
    }),
  );
}

async function readSamples(
  ctx: ProjectCtx,
  job_id: string,
  condition: Sql,
  { range, environment_id }: Requested,
): Promise<Sampled> {
  const { rows } = await sql<Sampled>`
    select count(*)::int as sampled_runs,
      coalesce((array_agg(r.id order by r.id desc) filter (where m.fits))[1:${sql.lit(MAX_SHOWN)}], '{}') as ids,
      count(*) filter (where m.fits and r.status in ('completed', 'failed', 'timed_out'))::int as ended,
      count(*) filter (where m.fits and r.status = 'completed')::int as completed
    from (
      select r.* from runs r
      where r.project_id = ${ctx.project_id} and r.job_id = ${job_id} and r.id >= ${firstIdAt(range.from_ms)}
        and r.id < ${firstIdAt(range.to_ms)}
      order by r.id desc limit ${MAX_SCANNED}
    ) r
    cross join lateral (
      select count(*) > 0 as fits from run_history l
      where l.project_id = ${ctx.project_id} and l.run_id = r.id and l.from_status = 'running' and ${condition}
    ) m
    where ${visible(ctx, "runs", "r")} ${ofEnvironment(ctx, "r", environment_id)}`.execute(ctx.db);
  return rows[0] ?? { sampled_runs: 0, ids: [], ended: 0, completed: 0 };
}

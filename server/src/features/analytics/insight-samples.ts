import type { Insight } from "@millrace/contract/cost-insights";
import { type RawBuilder, sql } from "kysely";
import { ofEnvironment } from "../../platform/access/environment-named.ts";
import { visible } from "../../platform/access/visibility.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { firstIdAt } from "../../platform/ids.ts";
import type { JobFigures } from "./insight-job-figures.ts";
import type { Range } from "./range.ts";

/** Newest runs of a job that are looked at for examples. */
const MOST_LOOKED_AT = 200;
const MOST_SHOWN = 5;

/** What the newest runs of a job tell: all of them, those that fit, and how those ended that came to an end of their own. */
export type Sampled = { sampled_runs: number; ids: string[]; ended: number; completed: number };

/**
 * An insight before its examples: named already, or still to be looked for. What can only be said after having looked
 * is said by `advise`.
 */
export type Draft = Omit<Insight, "sample_run_ids"> & {
  sample: keyof typeof CONDITIONS | readonly string[];
  advise?: (found: Sampled) => Pick<Insight, "what_to_change" | "evidence">;
};

type Judged = Omit<Draft, "job_id" | "job_slug" | "schedule_id">;

export function draftOf({ job_id, slug }: Pick<JobFigures, "job_id" | "slug">, judged: Judged): Draft {
  return { job_id, job_slug: slug, schedule_id: null, ...judged };
}

/** Of the move `l` of the run `r`. Who failed at the only try has used one, so `tries_used` does not tell. */
const CONDITIONS = {
  retried: sql`l.to_status = 'pending' and l.cause in ('retry', 'timeout', 'heartbeat_lost', 'lease_lost')
    and l.attempt < r.attempt`,
  timed_out: sql`l.cause in ('timeout', 'heartbeat_lost')`,
};

type Asked = { range: Range; environment_id?: string | undefined };

/** Examples are looked for among the newest runs of each job: they are a help, and the figures do not depend on them. */
export async function sampleRuns(ctx: ProjectCtx, drafts: readonly Draft[], asked: Asked): Promise<Insight[]> {
  return Promise.all(
    drafts.map(async ({ sample, advise, ...insight }) => {
      if (typeof sample !== "string") return { ...insight, sample_run_ids: sample.slice(0, MOST_SHOWN) };
      const found = await lookAtRuns(ctx, insight.job_id, CONDITIONS[sample], asked);
      return { ...insight, ...advise?.(found), sample_run_ids: found.ids };
    }),
  );
}

async function lookAtRuns(
  ctx: ProjectCtx,
  job_id: string,
  condition: RawBuilder<unknown>,
  { range, environment_id }: Asked,
): Promise<Sampled> {
  const { rows } = await sql<Sampled>`
    select count(*)::int as sampled_runs,
      coalesce((array_agg(r.id order by r.id desc) filter (where m.fits))[1:${sql.lit(MOST_SHOWN)}], '{}') as ids,
      count(*) filter (where m.fits and r.status in ('completed', 'failed', 'timed_out'))::int as ended,
      count(*) filter (where m.fits and r.status = 'completed')::int as completed
    from (
      select r.* from runs r
      where r.project_id = ${ctx.project_id} and r.job_id = ${job_id} and r.id >= ${firstIdAt(range.from_ms)}
        and r.id < ${firstIdAt(range.to_ms)}
      order by r.id desc limit ${MOST_LOOKED_AT}
    ) r
    cross join lateral (
      select count(*) > 0 as fits from run_transitions l
      where l.project_id = ${ctx.project_id} and l.run_id = r.id and l.from_status = 'running' and ${condition}
    ) m
    where ${visible(ctx, "runs", "r")} ${ofEnvironment(ctx, "r", environment_id)}`.execute(ctx.db);
  return rows[0] ?? { sampled_runs: 0, ids: [], ended: 0, completed: 0 };
}

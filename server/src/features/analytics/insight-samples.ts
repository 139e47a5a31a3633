import type { Insight } from "@millrace/contract/cost-analytics";
import { type RawBuilder, sql } from "kysely";
import { visible } from "../../platform/access/visibility.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { firstIdAt } from "../../platform/ids.ts";
import type { JobFigures } from "./insight-job-figures.ts";
import type { Range } from "./range.ts";

/** Newest runs of a job that are looked at for examples. */
const MOST_LOOKED_AT = 200;
const MOST_SHOWN = 5;

/** An insight before its examples: named already, or still to be looked for. */
export type Draft = Omit<Insight, "sample_run_ids"> & { sample: "retried" | "timed_out" | readonly string[] };

type Judged = Pick<Draft, "rule" | "title" | "what_to_change" | "estimated_saving_microusd" | "evidence" | "sample">;

export function draftOf({ job_id, slug }: Pick<JobFigures, "job_id" | "slug">, judged: Judged): Draft {
  return { job_id, job_slug: slug, schedule_id: null, ...judged };
}

const CONDITIONS = {
  retried: sql`r.tries_used > 0`,
  timed_out: sql`(r.status = 'timed_out' or r.tries_used > 0)`,
};

/** Examples are looked for among the newest runs of each job: they are a help, and the figures do not depend on them. */
export async function sampleRuns(
  ctx: ProjectCtx,
  drafts: readonly Draft[],
  { range, environment_id }: { range: Range; environment_id?: string | undefined },
): Promise<Insight[]> {
  return Promise.all(
    drafts.map(async ({ sample, ...insight }) => {
      const named =
        typeof sample === "string"
          ? await findRuns(ctx, insight.job_id, CONDITIONS[sample], { range, environment_id })
          : sample;
      return { ...insight, sample_run_ids: named.slice(0, MOST_SHOWN) };
    }),
  );
}

async function findRuns(
  ctx: ProjectCtx,
  job_id: string,
  condition: RawBuilder<unknown>,
  { range, environment_id }: { range: Range; environment_id: string | undefined },
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select r.id from (
      select r.* from runs r
      where r.project_id = ${ctx.project_id} and r.job_id = ${job_id} and r.id >= ${firstIdAt(range.from_ms)}
        and r.id < ${firstIdAt(range.to_ms)}
      order by r.id desc limit ${MOST_LOOKED_AT}
    ) r
    where ${condition} and ${visible(ctx, "runs", "r")} ${environmentNamed(ctx, environment_id)}
    order by r.id desc limit ${MOST_SHOWN}`.execute(ctx.db);
  return rows.map(({ id }) => id);
}

export function environmentNamed(ctx: ProjectCtx, ref: string | undefined): RawBuilder<unknown> {
  if (ref === undefined) return sql``;
  return sql`and r.environment_id = (
    select e.id from environments e where e.project_id = ${ctx.project_id} and (e.id::text = ${ref} or e.slug = ${ref}))`;
}

import type { TopAnalyticsQuery } from "@millrace/contract/analytics";
import type { JobsByVersion } from "@millrace/contract/job-analytics";
import type { ProjectCtx } from "../../../platform/context.ts";
import { readRollups } from "../rollups/read-rollups.ts";
import type { Sums } from "../rollups/rollup-rows.ts";
import { measureQuery } from "./measure-query.ts";
import { measuresOf, timeOf } from "./measures.ts";
import { openReader } from "./open-reader.ts";
import { jobNamed, readAsOf, readJobNames } from "./read-names.ts";

/** Runs by the version of their job. */
export async function getJobsByVersion(
  ctx: ProjectCtx,
  query: TopAnalyticsQuery,
): Promise<Omit<JobsByVersion, "$schema">> {
  const reader = await openReader(ctx, "runs", query);
  return measureQuery(ctx, reader.range, async () => {
    const subject_ids = await jobNamed(ctx, query.job_id);
    const of = { split: "job_version", by: ["subject", "part"], ...(subject_ids && { subject_ids }) } as const;
    const [sums, as_of] = await Promise.all([readRollups(reader, of), readAsOf(ctx, "runs")]);
    const shown = ofBusiestJobs(sums, query.limit ?? 20);
    const names = await readJobNames(
      ctx,
      shown.map(({ subject_id }) => subject_id),
      shown.map(({ part }) => part),
    );
    const data = shown.map((each) => {
      const { subject_id: job_id, part: job_version_id } = each;
      const name = names.get(job_id);
      const version = name?.versions[job_version_id] ?? null;
      return { job_id, job_slug: name?.slug ?? null, job_version_id, version, ...measuresOf(each) };
    });
    return { ...timeOf(ctx, reader.range, as_of), data };
  });
}

/** All versions of this many jobs; ids are ordered by time, so the greatest is the newest version. */
function ofBusiestJobs(sums: readonly Sums<"runs">[], max: number): Sums<"runs">[] {
  const busy = new Map<string, number>();
  for (const { subject_id, counts } of sums) busy.set(subject_id, (busy.get(subject_id) ?? 0) + counts.created);
  const jobs = [...busy].sort(([a, many], [b, more]) => more - many || (a < b ? -1 : 1)).slice(0, max);
  return jobs.flatMap(([job_id]) =>
    sums.filter(({ subject_id }) => subject_id === job_id).sort((a, b) => (a.part < b.part ? 1 : -1)),
  );
}

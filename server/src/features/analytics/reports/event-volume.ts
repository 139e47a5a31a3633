import type { RunAnalyticsQuery } from "@millrace/contract/analytics";
import type { EventVolume } from "@millrace/contract/analytics-beyond-runs";
import type { ProjectCtx } from "../../../platform/context.ts";
import { readRollups } from "../rollups/read-rollups.ts";
import { named } from "../rollups/rollup-rows.ts";
import { fillTimes } from "./fill-times.ts";
import { measureQuery } from "./measure-query.ts";
import { timeOf } from "./measures.ts";
import { openReader } from "./open-reader.ts";
import { jobNamed, readAsOf } from "./read-names.ts";
import type { CountName } from "./series.ts";

/** Events over time. Access to those of one job is decided as for its runs. */
export async function getEventVolume(ctx: ProjectCtx, query: RunAnalyticsQuery): Promise<Omit<EventVolume, "$schema">> {
  const reader = await openReader(ctx, "events", query, query.job_id === undefined ? "events" : "runs");
  return measureQuery(ctx, reader.range, async () => {
    const subject_ids = await jobNamed(ctx, query.job_id);
    const of = subject_ids ? ({ split: "job", subject_ids } as const) : ({ split: "all" } as const);
    const [sums, as_of] = await Promise.all([readRollups(reader, { ...of, by: ["time"] }), readAsOf(ctx, "events")]);
    const rows = sums.map(({ starts_at, counts }) => ({ starts_at: starts_at ?? "", ...counts }));
    const total = named("events", []);
    for (const { counts } of sums)
      for (const name of Object.keys(total) as CountName<"events">[]) total[name] += counts[name];
    const buckets = fillTimes(reader.range, rows, named("events", []));
    return { ...timeOf(ctx, reader.range, as_of), total, buckets };
  });
}

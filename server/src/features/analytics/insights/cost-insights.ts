import type { CostInsights, CostInsightsQuery, Insight } from "@millrace/contract/cost-insights";
import type { ProjectCtx } from "../../../platform/context.ts";
import { costRows, sumTotal, withRunDenies } from "../costs/cost-queries.ts";
import { measureQuery } from "../reports/measure-query.ts";
import { DAY_MS, type Range, readRange } from "../reports/range.ts";
import { findTimeouts } from "./insight-always-times-out.ts";
import { findDuplicatePayloads } from "./insight-duplicate-payloads.ts";
import { findIdleSchedules } from "./insight-idle-schedules.ts";
import { type JobFigures, readJobFigures } from "./insight-job-figures.ts";
import { findOverlongTimeout } from "./insight-overlong-timeout.ts";
import { findRetryWaste } from "./insight-retry-waste.ts";
import { type Draft, sampleRuns } from "./insight-samples.ts";

type Report = Omit<CostInsights, "$schema">;
const LAST_DAYS = 30;
const MAX_INSIGHTS = 20;

/** Possible savings. Whole days, the last thirty by default. */
export async function getCostInsights(ctx: ProjectCtx, query: CostInsightsQuery): Promise<Report> {
  const range = readRange(ctx, { from: query.from, to: query.to, bucket: "1d" }, LAST_DAYS * DAY_MS);
  return measureQuery(ctx, range, async () => report(await withRunDenies(ctx), query, range));
}

async function report(ctx: ProjectCtx, query: CostInsightsQuery, range: Range): Promise<Report> {
  const rows = await costRows(ctx, query);
  const span = { ...range, grain: "1d" } as const;
  const [total, figures] = await Promise.all([
    sumTotal(ctx, rows(["job"], span)),
    readJobFigures(ctx, rows(["job"], span)),
  ]);
  const [idle, duplicates] = await Promise.all([
    isRequested(query, "idle_schedule") ? findIdleSchedules(ctx, rows(["schedule"], span), range) : [],
    isRequested(query, "duplicate_payloads") ? findDuplicatePayloads(ctx, figures, { range, ...query }) : [],
  ]);
  const drafts = [...figures.flatMap(findInsights), ...idle, ...duplicates]
    .filter(({ rule }) => isRequested(query, rule))
    .toSorted(byCost)
    .slice(0, MAX_INSIGHTS);
  const insights = await sampleRuns(ctx, drafts, { range, ...query });
  const saving = drafts.reduce((sum, draft) => sum + draft.estimated_saving_microusd, 0);
  return {
    ...{ project_id: ctx.project_id, from: range.from, to: range.to, total_microusd: total.total_microusd },
    // Two insights may cover the same run; the sum is capped at the total cost.
    estimated_saving_microusd: Math.min(saving, total.total_microusd),
    insights,
  };
}

function isRequested({ rule }: CostInsightsQuery, of: Insight["rule"]): boolean {
  return rule === undefined || rule === of;
}

/** These rules count no dispatch twice. */
function findInsights(job: JobFigures): Draft[] {
  const timesOut = findTimeouts(job);
  if (timesOut) return [timesOut];
  const overlong = findOverlongTimeout(job);
  const retries = findRetryWaste(job, { isTimeoutCounted: overlong !== undefined });
  return [overlong, retries].filter((draft) => draft !== undefined);
}

function byCost(a: Draft, b: Draft): number {
  const byRule = a.rule < b.rule ? -1 : 1;
  return b.estimated_saving_microusd - a.estimated_saving_microusd || (a.job_id < b.job_id ? -1 : byRule);
}

import type { CostInsights, CostInsightsQuery, Insight } from "@millrace/contract/analytics/cost-insights";
import type { ProjectCtx } from "../../../platform/context.ts";
import { costRows, sumTotal, withRunDenies } from "../costs/cost-queries.ts";
import { measureQuery } from "../reports/measure-query.ts";
import { DAY_MS, type Range, readRange } from "../reports/range.ts";
import { findDuplicatePayloads } from "./insight-duplicate-payloads.ts";
import { findIdleSchedules } from "./insight-idle-schedules.ts";
import { type JobFigures, readJobFigures } from "./insight-job-figures.ts";
import { findRetryWaste } from "./insight-retry-waste.ts";
import { type Draft, draftOf, sampleRuns } from "./insight-samples.ts";

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

const MIN_RUNS = 5;

/** A job whose runs all timed out pays for its time without a result. */
function findTimeouts(job: JobFigures): Draft | undefined {
  const ended = job.of("timed_out", "silent");
  const others = job.of("completed", "waiting", "failed");
  if (ended.dispatches < MIN_RUNS || others.dispatches > 0) return undefined;
  const timedOut = job.of("timed_out", "silent", "retried_after_timeout", "retried_after_silence");
  if (timedOut.cost_microusd === 0) return undefined;
  return draftOf(job, {
    rule: "always_times_out",
    title: `Every run of ${job.slug} times out`,
    what_to_change: `No run completed in this period. Raise timeout_secs (now ${job.timeout_secs}) above what the work takes, respond with 202 and send heartbeats, split the work into smaller runs, or pause the job until it is fixed.`,
    estimated_saving_microusd: timedOut.cost_microusd,
    evidence: {
      timed_out_runs: ended.dispatches,
      timed_out_dispatches: timedOut.dispatches,
      completed_runs: 0,
      timeout_secs: job.timeout_secs,
      wasted_compute_microusd: timedOut.compute_microusd,
      wasted_reported_microusd: timedOut.cost_microusd - timedOut.compute_microusd,
    },
    sample: "timed_out",
  });
}

const MIN_COMPLETED = 20;
const MIN_TIMEOUT_SECS = 5;
/** The suggested timeout is this multiple of the longest useful dispatch. */
const MARGIN = 2;

/**
 * A hung dispatch costs money until its timeout, so a timeout far beyond any real duration makes each hang expensive.
 */
function findOverlongTimeout(job: JobFigures): Draft | undefined {
  const good = job.of("completed", "waiting");
  const hung = job.of("timed_out", "retried_after_timeout");
  if (good.dispatches < MIN_COMPLETED || hung.dispatches === 0) return undefined;
  const suggested_secs = Math.max(MIN_TIMEOUT_SECS, Math.ceil((MARGIN * good.longest_ms) / 1_000));
  if (job.timeout_secs < MARGIN * suggested_secs) return undefined;
  const saving = hung.compute_microusd - hung.dispatches * suggested_secs * job.compute_rate_microusd_per_sec;
  if (saving <= 0) return undefined;
  return draftOf(job, {
    rule: "overlong_timeout",
    title: `The timeout of ${job.slug} is ${job.timeout_secs} s, but its longest useful dispatch took ${Math.ceil(good.longest_ms / 1_000)} s`,
    what_to_change: `Lower timeout_secs from ${job.timeout_secs} to ${suggested_secs}: twice the longest useful dispatch, and at least ${MIN_TIMEOUT_SECS} s.`,
    estimated_saving_microusd: saving,
    evidence: {
      timeout_secs: job.timeout_secs,
      suggested_timeout_secs: suggested_secs,
      longest_good_ms: good.longest_ms,
      good_dispatches: good.dispatches,
      timed_out_dispatches: hung.dispatches,
      timed_out_compute_microusd: hung.compute_microusd,
    },
    sample: "timed_out",
  });
}

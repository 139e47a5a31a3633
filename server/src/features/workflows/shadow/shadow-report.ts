import {
  DIFFERENCE_KINDS,
  MAX_LISTED_DIFFERENCES,
  type ShadowDifference,
  type ShadowedRun,
  type ShadowReport,
} from "@millrace/contract/workflows/shadow";
import { criticalPath } from "../../../flow/workflows/plan/critical-path.ts";
import { durationOf, type Medians, type RecordedRun } from "../../../flow/workflows/versions/recorded-run.ts";
import type { Replay } from "../../../flow/workflows/versions/replay-history.ts";
import type { Candidate } from "./shadow-candidate.ts";

const DEFAULT_LISTED = 100;

type Counts = ShadowReport["counts"];
type StepCounts = Counts & { assumed: number };
type Report = Omit<ShadowReport, "$schema" | "workflow_id">;

/** A report in progress. */
export type PendingReport = {
  candidate: Candidate;
  medians: Medians;
  limit: number;
  /** Differences listed so far. */
  listed: number;
  steps: Map<string, StepCounts>;
  body: Report;
};

type Compared = { recorded: RecordedRun; replay: Replay; differences: ShadowDifference[] };
type Named = Pick<ShadowedRun, "workflow_run_id" | "capsule_id" | "version">;

export function beginReport(candidate: Candidate, medians: Medians, limit = DEFAULT_LISTED): PendingReport {
  const { version_id, version } = candidate;
  const body: Report = {
    version_id,
    version,
    runs: 0,
    differing: 0,
    counts: noCounts(),
    steps: [],
    duration: { recorded_ms: 0, replayed_ms: 0, change_ms: 0 },
    cost: { recorded_microusd: 0, replayed_microusd: 0, change_microusd: 0 },
    unestimated: [],
    results: [],
    left_out: 0,
  };
  return { candidate, medians, limit, listed: 0, steps: new Map(), body };
}

export function countRun(report: PendingReport, run: Named, compared: Compared): void {
  const { recorded, replay, differences } = compared;
  const { body } = report;
  const assumed = [...replay.steps].filter(([, step]) => step.assumed).map(([ref]) => ref);
  const duration = compareDurations(report, compared);
  const cost = compareCosts(compared);
  body.runs++;
  addUp(body.duration, duration);
  addUp(body.cost, cost);
  for (const ref of assumed) countsOf(report, ref).assumed++;
  for (const { kind, step_ref } of differences) {
    body.counts[kind]++;
    if (step_ref !== null) countsOf(report, step_ref)[kind]++;
  }
  if (differences.length === 0) return;
  body.differing++;
  const { status } = recorded;
  list(report, { ...run, status, replayed_status: replay.status, differences, assumed, duration, cost });
}

export function presentReport({ candidate, medians, steps, body }: PendingReport): Report {
  const types = new Map(candidate.definition.steps.map(({ step_ref, type }) => [step_ref, type]));
  const named = [...steps].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const unestimated = named
    .filter(([ref, { assumed }]) => assumed > 0 && !medians.has(ref) && types.get(ref) !== "sleep")
    .map(([ref]) => ref);
  return { ...body, steps: named.map(([step_ref, counts]) => ({ step_ref, ...counts })), unestimated };
}

function list(report: PendingReport, run: ShadowedRun): void {
  const { body } = report;
  const isFull = body.results.length >= report.limit || body.left_out > 0;
  if (isFull || report.listed + run.differences.length > MAX_LISTED_DIFFERENCES) {
    body.left_out++;
    return;
  }
  report.listed += run.differences.length;
  body.results.push(run);
}

/** Both use the longest path, so that they can be compared. */
function compareDurations({ candidate }: PendingReport, { recorded, replay }: Compared): ShadowedRun["duration"] {
  const before = [...recorded.steps].map(([ref, step]) => [ref, timed(durationOf(step) ?? 0)] as const);
  const after = [...replay.steps].map(([ref, { duration_ms }]) => [ref, timed(duration_ms)] as const);
  const recorded_ms = criticalPath(recorded.definition, new Map(before), true).estimate_ms ?? 0;
  const replayed_ms = criticalPath(candidate.definition, new Map(after), true).estimate_ms ?? 0;
  return { recorded_ms, replayed_ms, change_ms: replayed_ms - recorded_ms };
}

function timed(duration_ms: number) {
  return { status: "completed", duration_ms, estimate_ms: null } as const;
}

function compareCosts({ recorded, replay }: Compared): ShadowedRun["cost"] {
  const recorded_microusd = sumOf([...recorded.steps.values()]);
  const replayed_microusd = sumOf([...replay.steps.values()]);
  return { recorded_microusd, replayed_microusd, change_microusd: replayed_microusd - recorded_microusd };
}

function sumOf(steps: readonly { cost_microusd: number }[]): number {
  return steps.reduce((sum, { cost_microusd }) => sum + cost_microusd, 0);
}

function addUp<T extends Record<string, number>>(total: T, one: T): void {
  for (const name of Object.keys(one) as (keyof T)[])
    total[name] = ((total[name] ?? 0) + (one[name] ?? 0)) as T[keyof T];
}

function countsOf({ steps }: PendingReport, ref: string): StepCounts {
  const counts = steps.get(ref) ?? { ...noCounts(), assumed: 0 };
  steps.set(ref, counts);
  return counts;
}

function noCounts(): Counts {
  return Object.fromEntries(DIFFERENCE_KINDS.map((kind) => [kind, 0])) as Counts;
}

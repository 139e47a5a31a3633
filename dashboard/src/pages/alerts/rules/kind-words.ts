import type { AlertKind } from "@millrace/contract/alerts/alert-kinds";
import type { AlertRule } from "@millrace/contract/alerts/alert-rules";
import { formatCount, formatDuration, formatPercent } from "../../../parts/format.ts";

type Words = {
  label: string;
  hint: string;
  /** What to do, for rules without a runbook. */
  action: string;
  /** Label of the threshold. Undefined: the kind has none. */
  threshold?: string;
  /** The threshold is stored divided by this. */
  scale?: number;
  hasWindow?: boolean;
  hasMinRuns?: boolean;
};

export const KIND_WORDS: Record<AlertKind, Words> = {
  failure_rate: {
    label: "Failure rate",
    hint: "Too many of the finished runs failed or timed out.",
    action: "Look at the newest failed runs and their error issue. Pause the job or deploy its previous version.",
    ...{ threshold: "Above (% of runs)", scale: 100, hasWindow: true, hasMinRuns: true },
  },
  no_success: {
    label: "No success",
    hint: "Nothing completed for a while.",
    action: "Check whether runs are created at all, then whether they fail or wait.",
    hasWindow: true,
  },
  oldest_queued: {
    label: "Oldest queued run",
    hint: "A run that is due has waited too long.",
    action: "Check limits, paused queues, endpoints that are down, and workers.",
    threshold: "Above (seconds)",
  },
  queue_depth: {
    label: "Queue depth",
    hint: "Too many due runs wait.",
    action: "Add workers or raise the concurrency limit, or stop what creates the runs.",
    threshold: "Above (runs)",
  },
  dead_letters: {
    label: "Dead letters",
    hint: "Runs are in the dead-letter queue.",
    action: "Fix the cause, then replay the runs in the dead-letter queue.",
    threshold: "Above (runs)",
  },
  budget: {
    label: "Budget",
    hint: "A share of the monthly budget is spent.",
    action: "Find out which jobs cost the most, and raise the budget or pause them.",
    threshold: "At (% of the budget)",
  },
  endpoint_down: {
    label: "Endpoint down",
    hint: "Endpoints do not respond, and their runs wait.",
    action: "Check the endpoint. Its runs wait and continue when it responds again.",
    threshold: "Above (endpoints)",
  },
  schedule_missed: {
    label: "Schedule missed",
    hint: "A schedule is late, or could not start a run.",
    action: "See why the schedule started no run, and use a backfill for the times it missed.",
    ...{ threshold: "Late by more than (seconds)", hasWindow: true },
  },
  slo_burn_rate: {
    label: "SLO burn rate",
    hint: "The error budget of an objective is spent too fast.",
    action: "Too many runs fail for the objective: look at the newest failures first.",
    ...{ threshold: "Above (times the allowed rate)", hasWindow: true, hasMinRuns: true },
  },
  new_errors: {
    label: "New errors",
    hint: "Error issues are new or reopened.",
    action: "Look at the new issues: resolve, ignore or assign them.",
    ...{ threshold: "Above (issues)", hasWindow: true },
  },
};

export function formatValue(kind: AlertKind, value: number): string {
  if (kind === "failure_rate") return formatPercent(value);
  if (kind === "budget") return `${formatCount(value)}%`;
  if (kind === "slo_burn_rate") return `${Math.round(value * 10) / 10}×`;
  return kind === "oldest_queued" ? formatSecs(value) : formatCount(value);
}

type Condition = Pick<AlertRule, "kind" | "threshold" | "window_secs" | "objective">;

/** `above 10% in 5m`. */
export function conditionOf({ kind, threshold, window_secs, objective }: Condition): string {
  const within = KIND_WORDS[kind].hasWindow ? ` in ${formatSecs(window_secs)}` : "";
  if (kind === "no_success") return `nothing completed${within}`;
  if (kind === "schedule_missed") return `late by more than ${formatSecs(threshold)}`;
  if (kind === "budget") return `from ${formatValue(kind, threshold)}`;
  const of = kind === "slo_burn_rate" ? ` for ${(objective ?? 0) * 100}%` : "";
  return `above ${formatValue(kind, threshold)}${of}${within}`;
}

export function formatSecs(secs: number): string {
  return formatDuration(secs * 1_000);
}

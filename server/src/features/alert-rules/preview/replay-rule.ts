import type { AlertRulePreview } from "@millrace/contract/alerts/alert-rules";
import { yieldToEventLoop } from "../../../platform/time-slices.ts";
import { evaluateRule } from "../evaluate/evaluate-rule.ts";
import { nextStep } from "../evaluate/next-step.ts";
import { type Facts, selectorOf } from "../evaluate/read-facts.ts";
import { bucketMsOf, NIL_ID, outcomesOf, windowsOf } from "../evaluate/read-outcomes.ts";
import type { RuleRow } from "../queries.ts";
import type { History } from "./read-history.ts";

const HOUR_MS = 3_600_000;

type Replayed = Pick<AlertRulePreview, "alerts" | "points"> & { notifications: number };

/** Evaluates the rule at every minute of its history; every hour if its window is measured in hours. */
export async function replayRule(rule: RuleRow, history: History, untilMs: number): Promise<Replayed> {
  const stepMs = bucketMsOf(rule.window_secs);
  const found: Replayed = { alerts: [], points: [], notifications: 0 };
  const factsAt = factsOf(rule, history);
  let known = rule;
  for (let ms = Math.ceil(history.fromMs / stepMs) * stepMs; ms <= untilMs; ms += stepMs) {
    await yieldToEventLoop();
    const now = new Date(ms).toISOString();
    const reading = evaluateRule(rule, factsAt(ms));
    addPoint(found.points, rule, ms, reading.value);
    const step = nextStep(known, reading, now);
    if (!step) continue;
    const { action, ...state } = step;
    known = { ...known, ...state, notified_at: action === "fire" || action === "notify" ? now : known.notified_at };
    if (action !== "none") found.notifications++;
    if (action === "fire") found.alerts.push({ fired_at: now, resolved_at: null, value: reading.value });
    const last = found.alerts.at(-1);
    if (action === "resolve" && last) last.resolved_at = now;
  }
  return found;
}

/** The facts as of a time: only those that have a history. */
function factsOf(rule: RuleRow, history: History): (ms: number) => Facts {
  const selector = selectorOf(rule);
  const isSummed = windowsOf(rule).length > 0;
  const jobs = isSummed && selector !== undefined ? new Map([[selector, [NIL_ID]]]) : history.jobs;
  const issuesAt = sliding(history.issues, ({ opened_at }) => opened_at, rule);
  const missedAt = sliding(history.missed, ({ at }) => at, rule);
  return (ms) => ({
    ...{ now: new Date(ms).toISOString(), jobs, queued: [], deadLetters: [], budgetPercent: null, down: [] },
    deleted: new Set(),
    outcomes: outcomesOf(rule, (window_secs) => history.endsAt(window_secs, ms)),
    ...{ newIssues: issuesAt(ms), missed: missedAt(ms) },
  });
}

/** The rows of the window before a time, for times that only grow. */
function sliding<T>(rows: readonly T[], timeOf: (row: T) => string, { window_secs }: RuleRow): (ms: number) => T[] {
  const times = rows.map((row) => Date.parse(timeOf(row)));
  let [begin, end] = [0, 0];
  return (ms) => {
    while (end < times.length && (times[end] as number) <= ms) end++;
    while (begin < end && (times[begin] as number) < ms - window_secs * 1_000) begin++;
    return rows.slice(begin, end);
  };
}

/** One point per hour: the highest value, for `no_success` the lowest. */
function addPoint(points: Replayed["points"], { kind }: RuleRow, ms: number, value: number | null): void {
  const starts_at = new Date(Math.floor(ms / HOUR_MS) * HOUR_MS).toISOString();
  const last = points.at(-1);
  if (last?.starts_at !== starts_at) {
    points.push({ starts_at, value });
    return;
  }
  if (value === null) return;
  const worse = kind === "no_success" ? Math.min : Math.max;
  last.value = last.value === null ? value : worse(last.value, value);
}

import type { AlertKind } from "@millrace/contract/alerts/alert-kinds";
import type { EvaluatedRule } from "../queries.ts";
import { type Facts, selectorOf } from "./read-facts.ts";
import { type Ends, endsOf, shortWindow } from "./read-outcomes.ts";

/** What a rule measured. `value` is null if there is nothing to measure; then the condition does not hold. */
export type Reading = { value: number | null; isBreached: boolean; detail: Record<string, unknown> };

const MAX_NAMED = 20;

export function evaluateRule(rule: EvaluatedRule, facts: Facts): Reading {
  return EVALUATIONS[rule.kind](rule, facts);
}

const EVALUATIONS: Record<AlertKind, (rule: EvaluatedRule, facts: Facts) => Reading> = {
  failure_rate: (rule, facts) => {
    const ends = endsFor(rule, facts, rule.window_secs);
    const value = failureRate(ends, rule.min_runs);
    return { value, isBreached: value !== null && value > rule.threshold, detail: { ...ends } };
  },
  no_success: (rule, facts) => {
    if (isOfNothing(rule, facts)) return { value: null, isBreached: false, detail: {} };
    const { completed, failed } = endsFor(rule, facts, rule.window_secs);
    // A new rule waits for a whole window.
    const isOld = Date.parse(facts.now) - Date.parse(rule.created_at) >= rule.window_secs * 1_000;
    return { value: completed, isBreached: completed === 0 && isOld, detail: { completed, failed } };
  },
  slo_burn_rate: (rule, facts) => {
    const [long, short] = [rule.window_secs, shortWindow(rule.window_secs)].map((window_secs) =>
      burnRate(endsFor(rule, facts, window_secs), rule),
    );
    const isBreached = (long ?? 0) > rule.threshold && (short ?? 0) > rule.threshold;
    return { value: long ?? null, isBreached, detail: { objective: rule.objective, short_window_value: short } };
  },
  oldest_queued: (rule, facts) => {
    const times = ofRule(rule, facts, facts.queued).map(({ oldest_at }) => Date.parse(oldest_at));
    const value = times.length === 0 ? 0 : (Date.parse(facts.now) - Math.min(...times)) / 1_000;
    return { value, isBreached: value > rule.threshold, detail: {} };
  },
  queue_depth: (rule, facts) => counted(rule, ofRule(rule, facts, facts.queued)),
  dead_letters: (rule, facts) => counted(rule, ofRule(rule, facts, facts.deadLetters)),
  budget: ({ threshold }, { budgetPercent: value }) => ({
    ...{ value, isBreached: value !== null && value >= threshold, detail: {} },
  }),
  endpoint_down: (rule, facts) => {
    const job_ids = jobsOf(rule, facts);
    const down = facts.down.filter((each) => !job_ids || each.job_ids.some((id) => job_ids.includes(id)));
    const endpoints = down.slice(0, MAX_NAMED).map(({ host, since, reason }) => ({ host, since, reason }));
    return { value: down.length, isBreached: down.length > rule.threshold, detail: { endpoints } };
  },
  schedule_missed: (rule, facts) => {
    const missed = facts.missed.filter(
      ({ job_id, workflow_id, delay_secs, at }) =>
        (rule.job_id ?? job_id) === job_id &&
        (rule.workflow_id ?? workflow_id) === workflow_id &&
        (delay_secs === null ? isWithin(rule, facts, at) : delay_secs > rule.threshold),
    );
    const schedules = missed.slice(0, MAX_NAMED).map(({ schedule_id, at }) => ({ schedule_id, at }));
    return { value: missed.length, isBreached: missed.length > 0, detail: { schedules } };
  },
  new_errors: (rule, facts) => {
    const fresh = ofRule(rule, facts, facts.newIssues).filter(({ opened_at }) => isWithin(rule, facts, opened_at));
    const issues = fresh.slice(0, MAX_NAMED).map(({ id, job_id, message }) => ({ id, job_id, message }));
    return { value: fresh.length, isBreached: fresh.length > rule.threshold, detail: { issues } };
  },
};

/** The target is deleted, so nothing will complete again. */
function isOfNothing(rule: EvaluatedRule, facts: Facts): boolean {
  const job_ids = jobsOf(rule, facts) ?? (rule.workflow_id === null ? undefined : [rule.workflow_id]);
  return job_ids?.every((id) => facts.deleted.has(id)) === true;
}

function endsFor(rule: EvaluatedRule, facts: Facts, window_secs: number): Ends {
  const selector = selectorOf(rule);
  return endsOf(
    facts.outcomes,
    rule,
    window_secs,
    selector === undefined ? undefined : (facts.jobs.get(selector) ?? []),
  );
}

function failureRate({ completed, failed }: Ends, min_runs: number): number | null {
  const ended = completed + failed;
  return ended < min_runs ? null : failed / ended;
}

function burnRate(ends: Ends, { min_runs, objective }: EvaluatedRule): number | null {
  const rate = failureRate(ends, min_runs);
  return rate === null ? null : rate / (1 - (objective ?? 0));
}

function counted(rule: EvaluatedRule, rows: readonly { count: number }[]): Reading {
  const value = rows.reduce((sum, { count }) => sum + count, 0);
  return { value, isBreached: value > rule.threshold, detail: {} };
}

/** The jobs that a rule is limited to. Undefined: all. */
function jobsOf(rule: EvaluatedRule, { jobs }: Facts): readonly string[] | undefined {
  if (rule.job_id !== null) return [rule.job_id];
  const selector = selectorOf(rule);
  return selector === undefined ? undefined : (jobs.get(selector) ?? []);
}

function ofRule<T extends { job_id: string; environment_id: string | null }>(
  rule: EvaluatedRule,
  facts: Facts,
  rows: readonly T[],
): T[] {
  const job_ids = jobsOf(rule, facts);
  return rows.filter(
    ({ job_id, environment_id }) =>
      (rule.environment_id ?? environment_id) === environment_id && (!job_ids || job_ids.includes(job_id)),
  );
}

/** Facts are read for the longest window of all rules. */
function isWithin({ window_secs }: EvaluatedRule, { now }: Facts, at: string): boolean {
  return Date.parse(now) - Date.parse(at) <= window_secs * 1_000;
}

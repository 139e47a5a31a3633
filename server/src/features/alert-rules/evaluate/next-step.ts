import type { EvaluatedRule } from "../queries.ts";
import type { Reading } from "./evaluate-rule.ts";

/** What an evaluation changes of a rule. */
export type Step = Pick<EvaluatedRule, "state" | "state_since" | "healthy_since"> & {
  /** `notify`: notify the channels, for the first time after a silence, or again. */
  action: "none" | "fire" | "notify" | "resolve";
};

type Known = Pick<
  EvaluatedRule,
  | "state"
  | "state_since"
  | "healthy_since"
  | "notified_at"
  | "silenced_until"
  | "for_secs"
  | "resolve_after_secs"
  | "repeat_every_secs"
>;

/** The step that follows from a reading at a time. Undefined: nothing changes, which is the rule. */
export function nextStep(rule: Known, { isBreached }: Pick<Reading, "isBreached">, now: string): Step | undefined {
  if (rule.state === "firing") return isBreached ? whileFiring(rule, now) : whileHealthy(rule, now);
  if (!isBreached)
    return rule.state === "ok" ? undefined : { state: "ok", state_since: now, healthy_since: null, action: "none" };
  if (rule.for_secs === 0 || (rule.state === "pending" && secsSince(rule.state_since, now) >= rule.for_secs))
    return { state: "firing", state_since: now, healthy_since: null, action: "fire" };
  if (rule.state === "pending") return undefined;
  return { state: "pending", state_since: now, healthy_since: null, action: "none" };
}

export function isSilenced({ silenced_until }: Pick<EvaluatedRule, "silenced_until">, now: string): boolean {
  return silenced_until !== null && Date.parse(silenced_until) > Date.parse(now);
}

function whileFiring(rule: Known, now: string): Step | undefined {
  const { state, state_since, notified_at, repeat_every_secs } = rule;
  const isDue =
    notified_at === null || (repeat_every_secs !== null && secsSince(notified_at, now) >= repeat_every_secs);
  if (isDue && !isSilenced(rule, now)) return { state, state_since, healthy_since: null, action: "notify" };
  return rule.healthy_since === null ? undefined : { state, state_since, healthy_since: null, action: "none" };
}

function whileHealthy({ state, state_since, healthy_since, resolve_after_secs }: Known, now: string): Step | undefined {
  if (resolve_after_secs === 0 || (healthy_since !== null && secsSince(healthy_since, now) >= resolve_after_secs))
    return { state: "ok", state_since: now, healthy_since: null, action: "resolve" };
  return healthy_since === null ? { state, state_since, healthy_since: now, action: "none" } : undefined;
}

function secsSince(from: string, now: string): number {
  return (Date.parse(now) - Date.parse(from)) / 1_000;
}

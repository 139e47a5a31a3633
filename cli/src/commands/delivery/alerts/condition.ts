import { count, integer, text } from "../../../command.ts";
import { CommandError } from "../../../command-error.ts";

/** What a rule measures, and when it fires. */
export const CONDITION_OPTIONS = {
  kind: text("--kind <kind>", "what is measured, such as failure_rate or endpoint_down"),
  job: text("--job <job>", "only this job (slug or id)"),
  workflow: text("--workflow <workflow>", "only this workflow (slug or id)"),
  queue: text("--queue <queue>", "only jobs of this queue"),
  tag: text("--tag <tag>", "only jobs with this tag: key or key:value"),
  environment: text("--environment <environment>", "only this environment (slug or id)"),
  threshold: text("--threshold <number>", "the rule fires above this value"),
  window: count("--window <seconds>", "the period that is measured"),
  minRuns: count("--min-runs <n>", "failure_rate, slo_burn_rate: with fewer ended runs, the rule does not fire"),
  objective: text("--objective <share>", "slo_burn_rate: the share of runs that should succeed"),
  for: integer("--for <seconds>", "the condition must hold for this long before the rule fires"),
  resolveAfter: integer(
    "--resolve-after <seconds>",
    "the condition must be false for this long before the alert is resolved",
  ),
  repeat: count("--repeat <seconds>", "notify the channels again while it fires"),
};

type Given = {
  [name in keyof typeof CONDITION_OPTIONS]: (typeof CONDITION_OPTIONS)[name]["kind"] extends "text"
    ? string | undefined
    : number | undefined;
};

/** The fields of a rule that were given. */
export function conditionOf(given: Given) {
  return {
    ...{ kind: given.kind, job_id: given.job, workflow_id: given.workflow, queue: given.queue, tag: given.tag },
    ...{ environment_id: given.environment, threshold: numberOf("--threshold", given.threshold) },
    ...{ window_secs: given.window, min_runs: given.minRuns, objective: numberOf("--objective", given.objective) },
    ...{ for_secs: given.for, resolve_after_secs: given.resolveAfter, repeat_every_secs: given.repeat },
  };
}

function numberOf(flags: string, given: string | undefined): number | undefined {
  if (given === undefined) return undefined;
  const value = Number(given);
  if (given.trim() === "" || !Number.isFinite(value)) throw new CommandError("usage", `${flags} must be a number.`);
  return value;
}

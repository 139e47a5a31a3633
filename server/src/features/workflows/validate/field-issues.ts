import type { ProblemError } from "@millrace/contract/schema/problem";
import { MAX_ITEMS, MAX_PARALLEL_ITEMS, type StepInput } from "@millrace/contract/workflows/workflow-steps";
import { splitTemplate } from "../../../flow/templates/template-parts.ts";
import { checkOutgoingUrl } from "../../../platform/outgoing/check-url.ts";
import type { Config } from "../../../platform/settings/config.ts";
import { parseDuration } from "../../../platform/time/duration.ts";

/** The context that steps are validated in. */
export type Surroundings = {
  /** Jobs that steps may reference, by id or slug. */
  jobs: Known;
  /** Workflows that steps may reference, by id or slug. */
  workflows: Known;
  private_endpoints: Config["private_endpoints"];
};

type Known = Pick<ReadonlyMap<string, string>, "has">;
type StepType = NonNullable<StepInput["type"]>;
type Rule = { isRequired?: true; check: (value: never, surroundings: Surroundings) => string | undefined };

const DAY_SECS = 86_400;
const YEAR_SECS = 365 * DAY_SECS;
export const MAX_TEMPLATE_LENGTH = 2_000;
const COMMON = new Set(["step_ref", "type", "depends_on", "on_failure", "condition"]);

const RULES: Record<StepType, Record<string, Rule>> = {
  job: {
    job_id: { isRequired: true, check: knownJob },
    payload: { check: () => undefined },
    timeout_secs: { check: between(1, DAY_SECS) },
    max_attempts: { check: between(1, 100) },
    priority: { check: between(-100, 100) },
    concurrency_key: { check: ofLength(1, MAX_TEMPLATE_LENGTH) },
    event_emit_key: { check: keyTemplate },
    event_emit_buffer_secs: { check: between(0, 7 * DAY_SECS) },
    compensate_job_id: { check: knownJob },
  },
  wait_for_event: {
    event_key: { isRequired: true, check: keyTemplate },
    timeout_secs: { check: between(1, YEAR_SECS) },
    notify_url: { check: outgoingUrl },
  },
  sleep: { sleep_duration: { isRequired: true, check: duration } },
  approval: {
    approvers: { check: (names: readonly string[]) => (names.length > 50 ? "must name at most 50" : undefined) },
    message: { check: ofLength(1, MAX_TEMPLATE_LENGTH) },
    timeout_secs: { check: between(1, YEAR_SECS) },
  },
  map: {
    items: { isRequired: true, check: listTemplate },
    job_id: { check: knownJob },
    workflow_id: { check: knownWorkflow },
    payload: { check: () => undefined },
    max_parallel: { check: between(1, MAX_PARALLEL_ITEMS) },
    tolerate_failures: { check: (value: boolean | number) => (value === false ? undefined : failures(Number(value))) },
    compensate_job_id: { check: knownJob },
  },
  sub_workflow: {
    workflow_id: { isRequired: true, check: knownWorkflow },
    payload: { check: () => undefined },
    compensate_job_id: { check: knownJob },
  },
};

/**
 * Reports fields that are missing, that belong to another type, or whose value is invalid. Null counts as omitted, for
 * any type.
 */
export function fieldIssues(step: StepInput, at: string, surroundings: Surroundings): ProblemError[] {
  const rules = RULES[step.type ?? "job"];
  const given = Object.entries(step).filter(([name, value]) => value !== null && !COMMON.has(name));
  const missing = Object.keys(rules).filter((name) => rules[name]?.isRequired && !given.some(([has]) => has === name));
  return [
    ...(step.type === "map" ? workIssues(step, at) : []),
    ...(step.type === "approval" ? nameIssues(step, at) : []),
    ...missing.map((name) => ({ location: `${at}.${name}`, message: "is required", value: null })),
    ...given.flatMap(([name, value]) => {
      const rule = rules[name];
      const message = rule ? rule.check(value as never, surroundings) : notAFieldOf(step.type ?? "job");
      return message === undefined ? [] : [{ location: `${at}.${name}`, message, value: brief(value) }];
    }),
  ];
}

function notAFieldOf(type: StepType): string {
  return `is not a field of ${type === "approval" ? "an" : "a"} ${type} step`;
}

function knownJob(ref: string, { jobs }: Surroundings): string | undefined {
  return jobs.has(ref) ? undefined : "is not a job of this project";
}

function knownWorkflow(ref: string, { workflows }: Surroundings): string | undefined {
  return workflows.has(ref) ? undefined : "is not a workflow of this project";
}

/** A map runs exactly one of a job or a workflow. */
function workIssues({ job_id, workflow_id }: StepInput, at: string): ProblemError[] {
  const [has, other] = [job_id !== undefined && job_id !== null, workflow_id !== undefined && workflow_id !== null];
  if (has !== other) return [];
  const message = has
    ? "cannot be given together with job_id: a map runs a job or a workflow"
    : "is required, unless there is a workflow_id";
  return [{ location: `${at}.${has ? "workflow_id" : "job_id"}`, message, value: has ? (workflow_id ?? null) : null }];
}

function listTemplate(value: unknown): string | undefined {
  if (Array.isArray(value)) return value.length > MAX_ITEMS ? `must have at most ${MAX_ITEMS} items` : undefined;
  const message = "must be one template that yields a list, such as {{payload.orders}}, or a list";
  if (typeof value !== "string") return message;
  const { parts, issues } = splitTemplate(value);
  return issues.length > 0 || (parts.length === 1 && parts[0]?.kind === "path") ? undefined : message;
}

function failures(count: number): string | undefined {
  return count < 0 || count > MAX_ITEMS ? `must be true, false or 0 to ${MAX_ITEMS}` : undefined;
}

function between(min: number, max: number) {
  return (value: number) => (value < min || value > max ? `must be ${min} to ${max}` : undefined);
}

function ofLength(min: number, max: number) {
  return (value: string) =>
    value.length < min || value.length > max ? `must have ${min} to ${max} characters` : undefined;
}

/** The other rules are those of event keys. */
function keyTemplate(value: string): string | undefined {
  return value.length > MAX_TEMPLATE_LENGTH ? `must have at most ${MAX_TEMPLATE_LENGTH} characters` : undefined;
}

function outgoingUrl(url: string, { private_endpoints }: Surroundings): string | undefined {
  const checked = checkOutgoingUrl(url, private_endpoints);
  return checked.ok ? undefined : checked.reason;
}

function duration(text: string): string | undefined {
  const parsed = parseDuration(text);
  if (!parsed.ok) return parsed.message;
  return parsed.secs > YEAR_SECS ? "must be at most 365 days (8760h)" : undefined;
}

function nameIssues({ approvers }: StepInput, at: string): ProblemError[] {
  return (approvers ?? []).flatMap((name, i) => {
    const message = ofLength(1, 256)(name);
    return message === undefined ? [] : [{ location: `${at}.approvers[${i}]`, message, value: brief(name) }];
  });
}

/** The response to a megabyte of invalid input must not be another megabyte. */
function brief(value: unknown): unknown {
  if (typeof value === "string") return value.slice(0, 200);
  return typeof value === "object" ? null : value;
}

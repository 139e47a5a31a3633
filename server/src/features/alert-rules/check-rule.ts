import {
  ALERT_KIND_RULES,
  ALERT_TARGETS,
  type AlertKind,
  type AlertTarget,
  DEFAULT_MIN_RUNS,
  DEFAULT_OBJECTIVE,
} from "@millrace/contract/alerts/alert-kinds";
import type { CreateAlertRule, UpdateAlertRule } from "@millrace/contract/alerts/alert-rules";
import type { ProblemError } from "@millrace/contract/schema/problem";
import { environmentNamed } from "../../platform/access/environments.ts";
import { visible } from "../../platform/access/policies/visibility.ts";
import type { InTransaction, ProjectCtx } from "../../platform/context.ts";
import { sql } from "../../platform/database/sql.ts";
import { invalid } from "../../platform/errors/errors.ts";
import { collectIssues, throwIssues } from "../../platform/errors/issues.ts";
import { isId } from "../../platform/ids.ts";
import type { RuleRow } from "./queries.ts";

export type RuleSettings = Pick<
  RuleRow,
  | AlertTarget
  | "name"
  | "kind"
  | "threshold"
  | "window_secs"
  | "min_runs"
  | "objective"
  | "for_secs"
  | "resolve_after_secs"
  | "repeat_every_secs"
  | "channel_ids"
  | "runbook"
  | "enabled"
>;

export function defaultsOf(kind: AlertKind): Omit<RuleSettings, "name"> {
  return {
    ...{ kind, environment_id: null, job_id: null, workflow_id: null, queue: null, tag: null },
    ...{ threshold: ALERT_KIND_RULES[kind].threshold, window_secs: ALERT_KIND_RULES[kind].window_secs },
    ...{ min_runs: DEFAULT_MIN_RUNS, objective: kind === "slo_burn_rate" ? DEFAULT_OBJECTIVE : null, for_secs: 0 },
    ...{ resolve_after_secs: 0, repeat_every_secs: null, channel_ids: [], runbook: null, enabled: true },
  };
}

/** The settings with the ids of what the body names. Refuses what the kind cannot measure. */
export async function checkRule(
  tx: ProjectCtx & InTransaction,
  known: Omit<RuleSettings, "name">,
  body: Omit<CreateAlertRule, "kind" | "project_id"> | UpdateAlertRule,
): Promise<Omit<RuleSettings, "name">> {
  const { name: _, ...given } = body;
  const settings = { ...known, ...withoutUndefined(given) };
  const [, environment_id, job_id, workflow_id] = await collectIssues(
    () => throwIssues(ruleIssues(settings)),
    () => (given.environment_id ? readEnvironment(tx, given.environment_id) : settings.environment_id),
    () => (given.job_id ? readJob(tx, given.job_id) : settings.job_id),
    () => (given.workflow_id ? readWorkflow(tx, given.workflow_id) : settings.workflow_id),
    () => given.queue && given.queue !== known.queue && requireQueue(tx, given.queue),
    () => requireChannels(tx, settings.channel_ids, known.channel_ids),
  );
  return { ...settings, environment_id, job_id, workflow_id };
}

function withoutUndefined<T extends object>(fields: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;
}

function ruleIssues(rule: Omit<RuleSettings, "name">): ProblemError[] {
  const { kind, threshold, objective } = rule;
  const issues: ProblemError[] = [];
  for (const target of ALERT_TARGETS) {
    if (rule[target] !== null && !ALERT_KIND_RULES[kind].targets.includes(target))
      issues.push({ location: `body.${target}`, message: `cannot limit a rule of kind ${kind}`, value: rule[target] });
  }
  const named = (["job_id", "workflow_id", "queue", "tag"] as const).filter((target) => rule[target] !== null);
  for (const target of named.slice(1))
    issues.push({ location: `body.${target}`, message: `cannot be combined with ${named[0]}`, value: rule[target] });
  if (kind === "failure_rate" && threshold >= 1)
    issues.push({ location: "body.threshold", message: "must be below 1: it is a share of runs", value: threshold });
  if (kind !== "slo_burn_rate" && objective !== null)
    issues.push({ location: "body.objective", message: "is only used by slo_burn_rate", value: objective });
  if (kind === "slo_burn_rate" && objective === null)
    issues.push({ location: "body.objective", message: "is required for slo_burn_rate", value: null });
  return issues;
}

async function readEnvironment(tx: ProjectCtx, ref: string): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    select e.id from environments e
    where e.project_id = ${tx.project_id} and ${environmentNamed(ref)} and ${visible(tx, "environments", "e")}`.execute(
    tx.db,
  );
  if (!rows[0]) throw invalid("body.environment_id", "is not an environment of this project", ref);
  return rows[0].id;
}

async function readJob(tx: ProjectCtx, ref: string): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    select j.id from jobs j
    where j.project_id = ${tx.project_id} and ${isId(ref) ? sql`j.id = ${ref}` : sql`j.slug = ${ref}`}
      and j.deleted_at is null and ${visible(tx, "jobs", "j")}`.execute(tx.db);
  if (!rows[0]) throw invalid("body.job_id", "is not a job of this project", ref);
  return rows[0].id;
}

async function readWorkflow(tx: ProjectCtx, ref: string): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    select w.id from workflows w
    where w.project_id = ${tx.project_id} and ${isId(ref) ? sql`w.id = ${ref}` : sql`w.slug = ${ref}`}
      and w.deleted_at is null and ${visible(tx, "workflows", "w")}`.execute(tx.db);
  if (!rows[0]) throw invalid("body.workflow_id", "is not a workflow of this project", ref);
  return rows[0].id;
}

async function requireQueue(tx: ProjectCtx, name: string): Promise<void> {
  const { rows } = await sql`
    select 1 from queues q where q.project_id = ${tx.project_id} and q.name = ${name}`.execute(tx.db);
  if (rows.length === 0) throw invalid("body.queue", "is not a queue of this project", name);
}

/** Locks new ones, so that they are not deleted before the commit. */
async function requireChannels(
  tx: ProjectCtx & InTransaction,
  ids: readonly string[],
  known: readonly string[],
): Promise<void> {
  const added = ids.filter((id) => !known.includes(id));
  if (added.length === 0) return;
  const { rows } = await sql<{ id: string }>`
    select c.id from alert_channels c
    where c.project_id = ${tx.project_id} and c.id = any(${added}::uuid[]) for key share`.execute(tx.db);
  const found = new Set(rows.map(({ id }) => id));
  throwIssues(
    ids.flatMap((id, nth) =>
      known.includes(id) || found.has(id)
        ? []
        : [{ location: `body.channel_ids.${nth}`, message: "is not an alert channel of this project", value: id }],
    ),
  );
}

import type { AlertKind } from "@millrace/contract/alerts/alert-kinds";
import type { Ctx } from "../../../platform/context.ts";
import { sql } from "../../../platform/database/sql.ts";
import type { Reading } from "../evaluate/evaluate-rule.ts";
import type { RuleRow } from "../queries.ts";

/** What to do, for rules without a runbook. */
export const HINTS: Record<AlertKind, string> = {
  failure_rate: "Look at the newest failed runs and their error issue. Pause the job or deploy its previous version.",
  no_success: "Check whether runs are created at all, then whether they fail or wait.",
  oldest_queued:
    "Check limits, paused queues, open circuits and workers: see `GET /v1/runs/{id}/explain` for the oldest run.",
  queue_depth: "Add workers or raise the concurrency limit, or stop what creates the runs.",
  dead_letters: "Fix the cause, then replay the runs in the dead-letter queue.",
  budget: "Find out which jobs cost the most, and raise the budget or pause them.",
  endpoint_down: "Check the endpoint. Its runs wait and continue when it responds again.",
  schedule_missed: "See why the schedule started no run, and use a backfill for the times it missed.",
  slo_burn_rate: "Too many runs fail for the objective: look at the newest failures first.",
  new_errors: "Look at the new issues: resolve, ignore or assign them.",
};

type Found = Pick<Reading, "value" | "detail">;

/** What was measured, in one sentence. */
export async function describeAlert(ctx: Ctx, rule: RuleRow, found: Found): Promise<string> {
  return SENTENCES[rule.kind](rule, found, await targetName(ctx, rule));
}

const SENTENCES: Record<AlertKind, (rule: RuleRow, found: Found, of: string) => string> = {
  failure_rate: ({ threshold, window_secs }, { value, detail }, of) =>
    `${percent(value)} of the runs of ${of} failed in ${time(window_secs)} (${detail.failed} of ${Number(detail.completed) + Number(detail.failed)}; limit ${percent(threshold)}).`,
  no_success: ({ window_secs }, { detail }, of) =>
    `No run of ${of} completed in ${time(window_secs)}; ${detail.failed} failed.`,
  oldest_queued: ({ threshold }, { value }, of) =>
    `The oldest run of ${of} has waited for ${time(value ?? 0)} (limit ${time(threshold)}).`,
  queue_depth: ({ threshold }, { value }, of) =>
    `${value} ${value === 1 ? "run" : "runs"} of ${of} ${value === 1 ? "waits" : "wait"} (limit ${threshold}).`,
  dead_letters: ({ threshold }, { value }, of) =>
    `${value} ${value === 1 ? "run" : "runs"} of ${of} ${value === 1 ? "is" : "are"} in the dead-letter queue (limit ${threshold}).`,
  budget: ({ threshold }, { value }) =>
    `${Math.round(value ?? 0)} % of the monthly budget is spent (limit ${threshold} %).`,
  endpoint_down: (_, { detail }) =>
    `Not reachable: ${(detail.endpoints as { host: string }[]).map(({ host }) => host).join(", ")}.`,
  schedule_missed: (_, { value }, of) =>
    `${value} ${value === 1 ? "schedule" : "schedules"} of ${of} missed their time.`,
  slo_burn_rate: ({ threshold, window_secs, objective }, { value }, of) =>
    `The error budget of ${of} (objective ${percent(objective)}) was spent ${round(value)} times too fast in ${time(window_secs)} (limit ${threshold}).`,
  new_errors: ({ window_secs }, { value }, of) =>
    `${value} new or reopened error ${value === 1 ? "issue" : "issues"} of ${of} in ${time(window_secs)}.`,
};

async function targetName(ctx: Ctx, rule: RuleRow): Promise<string> {
  const { rows } = await sql<{ job: string | null; workflow: string | null; environment: string | null }>`
    select (select j.slug from jobs j where j.project_id = p.id and j.id = ${rule.job_id}) as job,
      (select w.slug from workflows w where w.project_id = p.id and w.id = ${rule.workflow_id}) as workflow,
      (select e.slug from environments e where e.project_id = p.id and e.id = ${rule.environment_id}) as environment
    from projects p where p.id = ${rule.project_id}`.execute(ctx.db);
  const { job, workflow, environment } = rows[0] ?? {};
  const where = environment ? ` in ${environment}` : "";
  if (job) return `the job ${job}${where}`;
  if (workflow) return `the workflow ${workflow}${where}`;
  if (rule.queue !== null) return `the queue ${rule.queue}${where}`;
  return rule.tag === null ? `the project${where}` : `jobs tagged ${rule.tag}${where}`;
}

function percent(share: number | null): string {
  return `${Math.round((share ?? 0) * 1_000) / 10} %`;
}

function round(value: number | null): number {
  return Math.round((value ?? 0) * 10) / 10;
}

function time(secs: number): string {
  if (secs < 120) return `${Math.round(secs)} s`;
  return secs < 7_200 ? `${Math.round(secs / 60)} min` : `${Math.round(secs / 3_600)} h`;
}

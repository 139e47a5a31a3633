import type { Workflow } from "@millrace/contract/workflows/workflows";
import { keepDefaultSchedule } from "../../flow/schedules/keep-default-schedule.ts";
import { actorOf, createdBy } from "../../platform/actor.ts";
import type { CallerCtx, InTransaction, ProjectCtx } from "../../platform/context.ts";
import { sql } from "../../platform/database/sql.ts";
import type { WorkflowRow } from "./queries.ts";

type Written = Omit<WorkflowRow, "project_id" | "canary_id" | "created_at" | "updated_at">;

/** Undefined: the slug is taken. */
export async function insertWorkflow(
  ctx: ProjectCtx & InTransaction,
  workflow: Written,
): Promise<{ id: string } | undefined> {
  const { rows } = await sql<{ id: string }>`
    insert into workflows (project_id, id, slug, name, description, environment_id, tags, enabled,
      max_concurrent_runs, cron, timezone, cron_overlap_policy, on_failure_job_id, cancel_on, version, version_id,
      current_version, created_by, created_by_id, created_at, updated_at)
    values (${ctx.project_id}, ${workflow.id}, ${workflow.slug}, ${workflow.name}, ${workflow.description},
      ${workflow.environment_id}, ${JSON.stringify(workflow.tags)}, ${workflow.enabled},
      ${workflow.max_concurrent_runs}, ${workflow.cron}, ${workflow.timezone}, ${workflow.cron_overlap_policy},
      ${workflow.on_failure_job_id}, ${JSON.stringify(workflow.cancel_on)}, ${workflow.version},
      ${workflow.version_id}, ${workflow.current_version}, ${workflow.created_by}, ${workflow.created_by_id}, clock(), clock())
    on conflict (project_id, slug) where deleted_at is null do nothing
    returning id`.execute(ctx.db);
  return rows[0];
}

export async function updateWorkflowRow(ctx: ProjectCtx & InTransaction, workflow: Written): Promise<void> {
  await sql`
    update workflows set slug = ${workflow.slug}, name = ${workflow.name}, description = ${workflow.description},
      environment_id = ${workflow.environment_id}, tags = ${JSON.stringify(workflow.tags)},
      enabled = ${workflow.enabled}, max_concurrent_runs = ${workflow.max_concurrent_runs}, cron = ${workflow.cron},
      timezone = ${workflow.timezone}, cron_overlap_policy = ${workflow.cron_overlap_policy},
      on_failure_job_id = ${workflow.on_failure_job_id}, cancel_on = ${JSON.stringify(workflow.cancel_on)},
      version = ${workflow.version}, version_id = ${workflow.version_id},
      current_version = ${workflow.current_version}, revision = revision + 1, updated_at = clock()
    where project_id = ${ctx.project_id} and id = ${workflow.id} and deleted_at is null`.execute(ctx.db);
}

export async function insertVersion(
  ctx: ProjectCtx & InTransaction,
  workflow: Written,
  breaking_change = false,
): Promise<void> {
  await sql`
    insert into workflow_versions (project_id, id, workflow_id, version, steps, timeout_secs, max_parallel_steps,
      payload_schema, breaking_change, author, created_by, created_by_id, created_at)
    values (${ctx.project_id}, ${workflow.version_id}, ${workflow.id}, ${workflow.version},
      ${JSON.stringify(workflow.steps)}, ${workflow.timeout_secs}, ${workflow.max_parallel_steps},
      ${workflow.payload_schema && JSON.stringify(workflow.payload_schema)}, ${breaking_change},
      ${authorOf(ctx)}, ${ctx.caller.name}, ${actorOf(ctx.caller).id}, clock())`.execute(ctx.db);
}

/** Identifies a caller for comparison, because names may be shared. All holders of the internal secret count as one. */
export function authorOf({ caller }: CallerCtx): string {
  if (caller.kind === "member") return `member:${caller.subject}`;
  return caller.kind === "api_key" ? `api_key:${caller.key_id}` : caller.kind;
}

type WorkflowTimes = Pick<Workflow, "id" | "cron" | "timezone" | "cron_overlap_policy">;

/** The workflow's own cron is its default schedule. */
export function keepSchedule(tx: ProjectCtx & InTransaction, workflow: WorkflowTimes): Promise<void> {
  const { id: workflow_id, cron, timezone, cron_overlap_policy: overlap_policy } = workflow;
  const { project_id, caller } = tx;
  return keepDefaultSchedule(tx, {
    project_id,
    workflow_id,
    cron,
    timezone,
    overlap_policy,
    ...createdBy(actorOf(caller)),
  });
}

import { type RawBuilder, sql } from "kysely";
import type { ProjectCtx } from "../context.ts";
import { isId } from "../ids.ts";
import type { Target } from "./decide.ts";

/** Where each kind of thing is kept, and what of it policies ask for. */
const KEPT: Record<string, (project_id: string, id: string) => RawBuilder<Omit<Target, "type">>> = {
  environment: (project_id, id) =>
    sql`select t.id, t.id as environment_id from environments t where t.project_id = ${project_id} and t.id = ${id}`,
  api_key: (project_id, id) =>
    sql`select t.id, t.environment_id from api_keys t where t.project_id = ${project_id} and t.id = ${id}`,
  job: (project_id, id) =>
    sql`select t.id, t.environment_id, t.tags from jobs t where t.project_id = ${project_id} and t.id = ${id}`,
  workflow: (project_id, id) =>
    sql`select t.id, t.environment_id, t.tags from workflows t where t.project_id = ${project_id} and t.id = ${id}`,
  run: (project_id, id) =>
    sql`select t.id, t.environment_id, t.tags, t.job_id from runs t where t.project_id = ${project_id} and t.id = ${id}`,
  workflow_run: (project_id, id) =>
    sql`select t.id, t.environment_id, t.tags, t.workflow_id from workflow_runs t where t.project_id = ${project_id} and t.id = ${id}`,
  event_trigger: (project_id, id) =>
    sql`select t.id, t.environment_id from event_triggers t where t.project_id = ${project_id} and t.id = ${id}`,
  schedule: (project_id, id) =>
    sql`select t.id, t.environment_id, t.job_id, t.workflow_id from schedules t where t.project_id = ${project_id} and t.id = ${id}`,
  webhook_delivery: (project_id, id) =>
    sql`select t.id, t.environment_id from webhook_deliveries t where t.project_id = ${project_id} and t.id = ${id}`,
  webhook_subscription: (project_id, id) =>
    sql`select t.id, t.environment_id from webhook_subscriptions t where t.project_id = ${project_id} and t.id = ${id}`,
  log_drain: (project_id, id) =>
    sql`select t.id, t.environment_id from log_drains t where t.project_id = ${project_id} and t.id = ${id}`,
  batch_operation: (project_id, id) =>
    sql`select t.id, t.environment_id from batch_operations t where t.project_id = ${project_id} and t.id = ${id}`,
};

/** The thing that is asked about, or undefined when there is none. */
export async function findTarget(
  { db, project_id }: ProjectCtx,
  type: string,
  id: string,
): Promise<Target | undefined> {
  const kept = KEPT[type];
  if (!kept || !isId(id)) return undefined;
  const { rows } = await kept(project_id, id).execute(db);
  return rows[0] && { type, ...rows[0] };
}

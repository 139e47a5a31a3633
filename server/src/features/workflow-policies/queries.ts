import type { PutWorkflowPolicy, WorkflowPolicy } from "@millrace/contract/workflows/workflow-policies";
import type { StepDefinition } from "../../flow/workflows/plan/definition.ts";
import { NO_POLICY } from "../../flow/workflows/start/workflow-policy.ts";
import { boundEnvironment } from "../../platform/access/environments.ts";
import { projectsOfMember } from "../../platform/access/person.ts";
import type { CallerCtx, InTransaction, ProjectCtx } from "../../platform/context.ts";
import { type Sql, sql } from "../../platform/database/sql.ts";
import { ApiError, notFound } from "../../platform/errors/errors.ts";
import { isId } from "../../platform/ids.ts";

export type PolicyRow = Omit<WorkflowPolicy, "$schema">;

const COLUMNS = sql`max_fan_out, max_depth, max_steps, forbidden_step_types, require_approval_for_deploy, updated_by,
  updated_at`;

/** The project named by a path, if it is the caller's. The internal secret may name any. */
async function findOwnProject(ctx: CallerCtx, ref: string): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    select p.id from projects p where ${named(ref)} and p.deleted_at is null and ${isCallers(ctx)}`.execute(ctx.db);
  return rows[0]?.id;
}

function named(ref: string): Sql {
  return isId(ref) ? sql`p.id = ${ref}` : sql`p.slug = ${ref}`;
}

function isCallers({ caller }: CallerCtx): Sql {
  if (caller.kind === "internal_secret") return sql`true`;
  if (caller.kind === "api_key") return sql`p.id = ${caller.project_id}`;
  return sql`p.id in ${projectsOfMember(caller)}`;
}

async function findPolicyRow(ctx: ProjectCtx): Promise<PolicyRow | undefined> {
  const { rows } = await sql<Omit<PolicyRow, "project_id">>`
    select ${COLUMNS} from workflow_policies where project_id = ${ctx.project_id}`.execute(ctx.db);
  return rows[0] && { project_id: ctx.project_id, ...rows[0] };
}

export async function writePolicy(ctx: ProjectCtx & InTransaction, policy: Required<PutWorkflowPolicy>): Promise<void> {
  const { max_fan_out, max_depth, max_steps, forbidden_step_types, require_approval_for_deploy } = policy;
  await sql`
    insert into workflow_policies (project_id, max_fan_out, max_depth, max_steps, forbidden_step_types,
      require_approval_for_deploy, updated_by, created_at, updated_at)
    values (${ctx.project_id}, ${max_fan_out}, ${max_depth}, ${max_steps}, ${forbidden_step_types},
      ${require_approval_for_deploy}, ${ctx.caller.name}, clock(), clock())
    on conflict (project_id) do update set max_fan_out = excluded.max_fan_out, max_depth = excluded.max_depth,
      max_steps = excluded.max_steps, forbidden_step_types = excluded.forbidden_step_types,
      require_approval_for_deploy = excluded.require_approval_for_deploy, updated_by = excluded.updated_by,
      updated_at = excluded.updated_at`.execute(ctx.db);
}

export type CurrentSteps = { workflow_id: string; slug: string; version_id: string; steps: StepDefinition[] };

/** Workflows with the steps of their current version, a page by id. */
export async function listCurrentSteps(
  ctx: ProjectCtx,
  after: string | undefined,
  max: number,
): Promise<CurrentSteps[]> {
  const { rows } = await sql<CurrentSteps>`
    select w.id as workflow_id, w.slug, w.version_id, v.steps
    from workflows w join workflow_versions v on v.project_id = w.project_id and v.id = w.version_id
    where w.project_id = ${ctx.project_id} and w.deleted_at is null
      ${after === undefined ? sql`` : sql`and w.id > ${after}`}
    order by w.id limit ${max}`.execute(ctx.db);
  return rows;
}

/** A project without a policy allows everything. */
export async function getPolicy(ctx: CallerCtx, project: string): Promise<PolicyRow> {
  const own = await ownProject(ctx, project);
  return (await findPolicyRow(own)) ?? { project_id: own.project_id, ...NO_POLICY, updated_by: null, updated_at: null };
}

/** Resolves the path's project by id or slug; another project's is not found. */
export async function ownProject<C extends CallerCtx>(ctx: C, ref: string): Promise<C & ProjectCtx> {
  const project_id = await findOwnProject(ctx, ref);
  if (project_id === undefined) throw notFound("project");
  return { ...ctx, project_id };
}

/** A policy applies to the workflows of every environment. */
export function refuseBoundKey({ caller }: CallerCtx): void {
  if (boundEnvironment(caller) === null) return;
  throw new ApiError("forbidden", "This key is bound to one environment; the policy belongs to the whole project.");
}

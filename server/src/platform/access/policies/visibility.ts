import type { Access, AccessPolicy, ProjectCtx, TokenLimits } from "../../context.ts";
import { type Sql, sql } from "../../database/sql.ts";
import { tokenLimitsOf } from "../credentials/token-limits.ts";
import { boundEnvironment } from "../environments.ts";
import { decide, type Target } from "./decide.ts";
import { isUnrestricted } from "./policies.ts";

/** The column that holds the environment of a row. */
const ENVIRONMENT_COLUMN = {
  environments: "id",
  api_keys: "environment_id",
  jobs: "environment_id",
  workflows: "environment_id",
  runs: "environment_id",
  event_triggers: "environment_id",
  webhook_deliveries: "environment_id",
  webhook_subscriptions: "environment_id",
  log_drains: "environment_id",
  workflow_runs: "environment_id",
  run_capsules: "environment_id",
  batch_operations: "environment_id",
} as const;

/** Here rows without an environment belong to all environments: every key of the project sees them. */
const SHARED_IF_UNBOUND: ReadonlySet<string> = new Set([
  "jobs",
  "workflows",
] satisfies (keyof typeof ENVIRONMENT_COLUMN)[]);

/**
 * Predicate for the rows of `table` that this caller may see. Every read and every write of one row uses it, so that a
 * list never shows what a get would refuse. A key bound to an environment sees only that environment, and a narrow
 * token only its own objects in it.
 */
export function visible(ctx: ProjectCtx, table: keyof typeof ENVIRONMENT_COLUMN, alias: string): Sql {
  const limits = tokenLimitsOf(ctx.caller);
  const here = sql`${inEnvironment(ctx, table, alias)} ${allowedBy(ctx, table, alias)}`;
  return limits ? sql`(${here} and ${withinLimits(limits, table, alias)})` : sql`(${here})`;
}

/** Applies the policies. Most projects have none. */
function allowedBy({ access }: ProjectCtx, table: string, alias: string): Sql {
  if (!access || isUnrestricted(access)) return sql``;
  const { also } = access;
  return sql`and ${withinPolicies(access, table, alias)} ${also ? sql`and ${withinPolicies(also, table, alias)}` : sql``}`;
}

function inEnvironment(ctx: ProjectCtx, table: keyof typeof ENVIRONMENT_COLUMN, alias: string): Sql {
  const bound = boundEnvironment(ctx.caller);
  if (bound === null) return sql`true`;
  const column = sql.ref(`${alias}.${ENVIRONMENT_COLUMN[table]}`);
  return SHARED_IF_UNBOUND.has(table) ? sql`(${column} = ${bound} or ${column} is null)` : sql`${column} = ${bound}`;
}

/** The same for `schedules`: one without an environment of its own is in that of its job or workflow. */
export function visibleSchedule(ctx: ProjectCtx, alias: string): Sql {
  return sql`(${scheduleInEnvironment(ctx, alias)} ${allowedBy(ctx, "schedules", alias)} ${ownerAllowedBy(ctx, alias)})`;
}

/** A deny on a job or workflow, by environment or tag, also covers its schedules. */
function ownerAllowedBy({ access }: ProjectCtx, alias: string): Sql {
  if (!access?.policies.some(({ effect }) => effect === "deny")) return sql``;
  const denies = { ...access, isHeld: true };
  const column = (name: string) => sql.ref(`${alias}.${name}`);
  return sql`and not exists (select 1 from jobs owner where owner.project_id = ${column("project_id")}
      and owner.id = ${column("job_id")} and not ${withinPolicies(denies, "jobs", "owner")})
    and not exists (select 1 from workflows owner where owner.project_id = ${column("project_id")}
      and owner.id = ${column("workflow_id")} and not ${withinPolicies(denies, "workflows", "owner")})`;
}

function scheduleInEnvironment({ caller }: ProjectCtx, alias: string): Sql {
  const bound = boundEnvironment(caller);
  if (bound === null) return sql`true`;
  const project_id = sql.ref(`${alias}.project_id`);
  return sql`coalesce(${sql.ref(`${alias}.environment_id`)}, (
    select job.environment_id from jobs job
    where job.project_id = ${project_id} and job.id = ${sql.ref(`${alias}.job_id`)}), (
    select workflow.environment_id from workflows workflow
    where workflow.project_id = ${project_id} and workflow.id = ${sql.ref(`${alias}.workflow_id`)})) = ${bound}`;
}

/** The same for an object already loaded: one without an environment belongs to all. */
export function mayUse({ caller, access }: ProjectCtx, target: Target): boolean {
  const bound = boundEnvironment(caller);
  const isHere = bound === null || target.environment_id == null || target.environment_id === bound;
  return isHere && (!access || decide(access, target).allowed);
}

/** Predicate for the rows of a table that a scoped token may see, in addition to the environment's predicate. */
function withinLimits(limits: TokenLimits, table: string, alias: string): Sql {
  const column = (name: string) => sql.ref(`${alias}.${name}`);
  switch (table) {
    case "runs":
      return sql`(${column("id")} = any(${limits.run_ids}::uuid[])
        or ${column("workflow_run_id")} = any(${limits.workflow_run_ids}::uuid[]) or ${tagged(limits, column("tags"))})`;
    case "workflow_runs":
      return sql`(${column("id")} = any(${limits.workflow_run_ids}::uuid[]) or ${tagged(limits, column("tags"))})`;
    case "event_triggers":
      return sql`(${column("job_run_id")} = any(${limits.run_ids}::uuid[])
        or ${column("workflow_run_id")} = any(${limits.workflow_run_ids}::uuid[])
        or exists (select 1 from runs r where r.project_id = ${column("project_id")} and r.id = ${column("job_run_id")}
          and ${withinLimits(limits, "runs", "r")})
        or exists (select 1 from workflow_runs w where w.project_id = ${column("project_id")}
          and w.id = ${column("workflow_run_id")} and ${withinLimits(limits, "workflow_runs", "w")}))`;
    case "jobs":
    case "environments":
      // Looked up by the names in a trigger; no scope of a token lets its holder read these rows.
      return sql`true`;
    default:
      return sql`false`;
  }
}

function tagged({ tags }: TokenLimits, column: Sql): Sql {
  return tags === null ? sql`false` : sql`${column} @> ${JSON.stringify(tags)}::jsonb`;
}

/** For each table the kind of its rows, and the columns that link them to a job, workflow or environment. */
const TABLES: Record<string, { type: string; job?: string; workflow?: string; environment?: string; tags?: string }> = {
  environments: { type: "environment" },
  api_keys: { type: "api_key", environment: "environment_id" },
  jobs: { type: "job", environment: "environment_id", tags: "tags" },
  workflows: { type: "workflow", environment: "environment_id", tags: "tags" },
  runs: { type: "run", job: "job_id", environment: "environment_id", tags: "tags" },
  workflow_runs: { type: "workflow_run", workflow: "workflow_id", environment: "environment_id", tags: "tags" },
  event_triggers: { type: "event_trigger", environment: "environment_id" },
  schedules: { type: "schedule", job: "job_id", workflow: "workflow_id", environment: "environment_id" },
  webhook_deliveries: { type: "webhook_delivery", environment: "environment_id" },
  webhook_subscriptions: { type: "webhook_subscription", environment: "environment_id" },
  log_drains: { type: "log_drain", environment: "environment_id" },
  batch_operations: { type: "batch_operation", environment: "environment_id" },
};

/** Whether a policy can name rows of the table: `allow` gives access to no others. */
export function isUnderPolicies(table: string): boolean {
  return table in TABLES;
}

/** Predicate for the rows that policies allow this request: the rule of `decide.ts` for all rows at once. */
export function withinPolicies({ isHeld, policies }: Access, table: string, alias: string): Sql {
  const touching = (effect: string) =>
    policies.filter((policy) => policy.effect === effect).flatMap((policy) => touches(policy, table, alias) ?? []);
  const [denies, allows] = [touching("deny"), isHeld ? [] : touching("allow")];
  const allowed = isHeld ? sql`true` : anyOf(allows);
  return denies.length === 0 ? allowed : sql`(${allowed} and not ${anyOf(denies)})`;
}

function anyOf(conditions: readonly Sql[]): Sql {
  return conditions.length === 0 ? sql`false` : sql`(${sql.join(conditions, sql` or `)})`;
}

/** Undefined: does not apply to this table. A null column does not match, rather than being unknown. */
function touches(policy: AccessPolicy, table: string, alias: string): Sql | undefined {
  const { type, job, workflow, environment, tags } = TABLES[table] ?? { type: "" };
  const column = (name: string) => sql.ref(`${alias}.${name}`);
  if (policy.tag_key !== null) {
    if (tags === undefined) return undefined;
    if (policy.tag_value === null) return sql`jsonb_exists(${column(tags)}, ${policy.tag_key})`;
    return sql`(${column(tags)} @> ${JSON.stringify({ [policy.tag_key]: policy.tag_value })}::jsonb)`;
  }
  const { resource_type, resource_id } = policy;
  if (resource_type === "*") return resource_id === "*" ? sql`true` : sql`(${column("id")}::text = ${resource_id})`;
  const byType: Record<string, string | undefined> = { job, workflow, environment, [type]: "id" };
  const name = byType[resource_type ?? ""];
  if (name === undefined) return undefined;
  // Every object has an id. In a rollup row, which stands for many objects, the column is null.
  if (resource_id === "*") return name === "id" ? sql`true` : sql`(${column(name)} is not null)`;
  return sql`coalesce(${column(name)}::text = ${resource_id}, false)`;
}

import { type RawBuilder, sql } from "kysely";
import type { Access, AccessPolicy } from "./policies.ts";

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
export function withinPolicies({ isHeld, policies }: Access, table: string, alias: string): RawBuilder<unknown> {
  const touching = (effect: string) =>
    policies.filter((policy) => policy.effect === effect).flatMap((policy) => touches(policy, table, alias) ?? []);
  const [denies, allows] = [touching("deny"), isHeld ? [] : touching("allow")];
  const allowed = isHeld ? sql`true` : anyOf(allows);
  return denies.length === 0 ? allowed : sql`(${allowed} and not ${anyOf(denies)})`;
}

function anyOf(conditions: readonly RawBuilder<unknown>[]): RawBuilder<unknown> {
  return conditions.length === 0 ? sql`false` : sql`(${sql.join(conditions, sql` or `)})`;
}

/** Undefined: does not apply to this table. A null column does not match, rather than being unknown. */
function touches(policy: AccessPolicy, table: string, alias: string): RawBuilder<unknown> | undefined {
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

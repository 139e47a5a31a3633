import { type RawBuilder, sql } from "kysely";

/** Runs searched for a tag: no index covers their tags, and a list of policies must be fast. */
const NEWEST_RUNS = sql.lit(1_000);

/** Null for a value that is not an id. */
const ID = sql`case when p.resource_id ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then p.resource_id::uuid end`;
const there = (table: RawBuilder<unknown>, rest = sql``) =>
  sql`exists (select 1 from ${table} t where t.project_id = p.project_id and t.id = ${ID} ${rest})`;
const undeleted = sql`and t.deleted_at is null`;

const BY_TYPE: Record<string, RawBuilder<unknown>> = {
  environment: there(sql`environments`),
  api_key: there(sql`api_keys`, sql`and t.revoked_at is null`),
  job: there(sql`jobs`, undeleted),
  workflow: there(sql`workflows`, undeleted),
  run: there(sql`runs`),
  workflow_run: there(sql`workflow_runs`),
  event_trigger: there(sql`event_triggers`),
  schedule: there(sql`schedules`),
  webhook_delivery: there(sql`webhook_deliveries`),
  webhook_subscription: there(sql`webhook_subscriptions`),
  log_drain: there(sql`log_drains`),
  batch_operation: there(sql`batch_operations`),
};

const tagged = (rows: RawBuilder<unknown>) =>
  sql`exists (select 1 from (${rows}) t where jsonb_exists(t.tags, p.tag_key)
    and (p.tag_value is null or t.tags ->> p.tag_key = p.tag_value))`;
const newest = (table: RawBuilder<unknown>) =>
  sql`select r.tags from ${table} r where r.project_id = p.project_id order by r.id desc limit ${NEWEST_RUNS}`;

/** Whether the policy `p` matches any existing resource. */
export const MATCHES_ANYTHING = sql`case
  when p.resource_id = '*' then true
  ${sql.join(
    Object.entries(BY_TYPE).map(([type, exists]) => sql`when p.resource_type = ${sql.lit(type)} then ${exists}`),
    sql` `,
  )}
  when p.resource_type = '*' then (${sql.join(Object.values(BY_TYPE), sql` or `)})
  else ${tagged(sql`select j.tags from jobs j where j.project_id = p.project_id and j.deleted_at is null`)}
    or ${tagged(sql`select w.tags from workflows w where w.project_id = p.project_id and w.deleted_at is null`)}
    or ${tagged(newest(sql`runs`))} or ${tagged(newest(sql`workflow_runs`))}
  end`;

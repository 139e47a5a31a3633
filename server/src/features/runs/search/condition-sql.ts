import type { NumberCondition, RunCondition, WordCondition } from "@millrace/contract/query-language-types";
import { type RawBuilder, sql } from "kysely";
import { never } from "../../../platform/errors/errors.ts";
import { isId } from "../../../platform/ids.ts";
import { hasTag } from "../../../platform/listing/has-tag.ts";

/** The SQL of conditions on `runs r`, each starting with `and`. Slugs and times must be resolved. */
export function conditionSql(project_id: string, conditions: readonly RunCondition[]): RawBuilder<unknown> {
  const clauses = conditions.map((each) => {
    const holds = sqlOf(project_id, each);
    return "negated" in each && each.negated ? sql`and not coalesce(${holds}, false)` : sql`and ${holds}`;
  });
  return sql.join(clauses, sql` `);
}

/** The value that the payload must contain: `payload.a.b:1` is `{"a":{"b":1}}`. */
export function containedBy({ path, value }: { path: string[]; value: unknown }): unknown {
  return path.reduceRight<unknown>((inner, name) => Object.fromEntries([[name, inner]]), value);
}

function sqlOf(project_id: string, condition: RunCondition): RawBuilder<unknown> {
  switch (condition.key) {
    case "status":
      return sql`r.status = any(${condition.values})`;
    case "trigger":
      return sql`r.trigger_type = any(${condition.values})`;
    case "payload":
      return sql`r.payload @> ${JSON.stringify(containedBy(condition))}::jsonb`;
    case "attempts":
    case "duration":
      return numberSql(condition);
    case "since":
    case "until":
      return sayTime(condition);
    case "error":
      return sql`(${sql.join([condition.text, ...(condition.or ?? [])].map(sayError), sql` or `)})`;
    case "text":
      return isId(condition.text) ? sql`r.id = ${condition.text}` : sayError(condition.text);
    case "is":
      return IS[condition.value];
    case "tag":
      return sql`(${sql.join(
        condition.values.map((tag) => hasTag("r", tag)),
        sql` or `,
      )})`;
    case "by":
      return sql`(r.created_by = any(${condition.values}) or r.created_by_id = any(${condition.values}))`;
    case "version":
      return sql`r.job_version_id in (
        select v.id from job_versions v where v.project_id = ${project_id}
          and (v.version::text = any(${condition.values}) or v.id::text = any(${condition.values})))`;
    default:
      return sql`${sql.ref(`r.${COLUMN[condition.key]}`)} = any(${condition.values})`;
  }
}

/** The columns of keys that are compared for equality. */
export const COLUMN = {
  job: "job_id",
  key: "concurrency_key",
  by: "created_by",
  batch: "batch_id",
  workflow: "workflow_run_id",
  parent: "parent_run_id",
  replay: "replay_of",
  schedule: "schedule_id",
  env: "environment_id",
} as const satisfies Partial<Record<WordCondition["key"], string>>;

const IS = {
  dead: sql`r.dead_lettered_at is not null`,
  unhandled: sql`r.dead_lettered_at is not null`,
  late: sql`(r.status = 'pending' and r.scheduled_at < clock() - interval '1 minute')`,
  retrying: sql`(r.status = 'pending' and r.tries_used > 0)`,
  live: sql`r.finished_at is null`,
  ended: sql`r.finished_at is not null`,
  replay: sql`r.replay_of is not null`,
  child: sql`r.parent_run_id is not null`,
  step: sql`r.workflow_run_id is not null`,
};

function numberSql({ key, operator, amount }: NumberCondition): RawBuilder<unknown> {
  const value =
    key === "attempts"
      ? sql`r.attempt`
      : sql`extract(epoch from coalesce(r.finished_at, clock()) - r.started_at) * 1000`;
  switch (operator) {
    case ">":
      return sql`${value} > ${amount}`;
    case ">=":
      return sql`${value} >= ${amount}`;
    case "<":
      return sql`${value} < ${amount}`;
    case "<=":
      return sql`${value} <= ${amount}`;
    case "=":
      return sql`${value} = ${amount}`;
    default:
      return never(operator);
  }
}

function sayTime(condition: Extract<RunCondition, { key: "since" | "until" }>): RawBuilder<unknown> {
  if (!("at" in condition)) throw new Error("a time was not resolved");
  const { key, at } = condition;
  return key === "since" ? sql`r.created_at >= ${at}::timestamptz` : sql`r.created_at < ${at}::timestamptz`;
}

function sayError(text: string): RawBuilder<unknown> {
  return sql`(r.error is not null and (strpos(lower(r.error ->> 'message'), lower(${text}::text)) > 0
    or strpos(lower(r.error ->> 'code'), lower(${text}::text)) > 0))`;
}

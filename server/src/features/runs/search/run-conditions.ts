import { parseQuery } from "@millrace/contract/query-language/parse-query";
import type { NumberCondition, RunCondition, WordCondition } from "@millrace/contract/query-language/types";
import type { ListRunsQuery } from "@millrace/contract/runs/runs";
import type { ProjectCtx } from "../../../platform/context.ts";
import { type Sql, sql } from "../../../platform/database/sql.ts";
import { ApiError, invalid, never } from "../../../platform/errors/errors.ts";
import { isId } from "../../../platform/ids.ts";
import { hasTag, readContained } from "../../../platform/listing/filters.ts";
import { parseInstant } from "../../../platform/time/instant.ts";

type Filters = Omit<ListRunsQuery, "limit" | "cursor" | "order">;

/** The filters of a run list as conditions that must all hold: those of the parameters, then those of `q`. */
export function readConditions(filters: Filters): RunCondition[] {
  const { status, trigger_type, dead_letter, from, to, payload_contains, q } = filters;
  const conditions: (RunCondition | false)[] = [
    status !== undefined && { key: "status", negated: false, values: status.split(",") as never },
    trigger_type !== undefined && { key: "trigger", negated: false, values: [trigger_type] },
    ...wordsOf(filters),
    dead_letter !== undefined && { key: "is", negated: !dead_letter, value: "dead" },
    from !== undefined && { key: "since", at: parseInstant("query.from", from) },
    to !== undefined && { key: "until", at: parseInstant("query.to", to) },
    payload_contains !== undefined && {
      key: "payload",
      negated: false,
      path: [],
      value: readContained("query.payload_contains", payload_contains),
    },
  ];
  return [...conditions.filter((each) => each !== false), ...(q === undefined ? [] : readQuery(q))];
}

function wordsOf(filters: Filters): RunCondition[] {
  const words = [
    ["job", filters.job_id],
    ["batch", filters.batch_id],
    ["key", filters.concurrency_key],
    ["by", filters.created_by],
    ["parent", filters.parent_run_id],
    ["replay", filters.replay_of],
    ["schedule", filters.schedule_id],
    ["workflow", filters.workflow_run_id],
    ["env", filters.environment_id],
    ["tag", filters.tag],
  ] as const;
  return words.flatMap(([key, value]) => (value === undefined ? [] : { key, negated: false, values: [value] }));
}

/** Reports every issue of a query at once, each with the part of the text to underline. */
function readQuery(q: string): RunCondition[] {
  const parsed = parseQuery(q);
  if (parsed.ok) return parsed.terms.map((term) => term.condition);
  const errors = parsed.issues.map(({ start, end, message }) => {
    const value = q.slice(start, end);
    return { location: "query.q", message: `${JSON.stringify(value)} at ${start}–${end}: ${message}`, value };
  });
  throw new ApiError("validation_failed", `query.q: ${errors[0]?.message}`, { errors });
}

const NAMED = { job: "a job", env: "an environment" } as const;

/**
 * Replaces slugs with ids and relative times with instants. Parameters were resolved by the route, so an unknown slug
 * is in the query, at `at`, and is rejected the same way.
 */
export async function resolveConditions(
  ctx: ProjectCtx,
  conditions: RunCondition[],
  at = "query.q",
): Promise<RunCondition[]> {
  const isNamed = (each: RunCondition) => (each.key === "job" || each.key === "env") && !each.values.every(isId);
  const isAgo = (each: RunCondition) => "ago_ms" in each;
  if (!conditions.some((each) => isNamed(each) || isAgo(each))) return conditions;
  const names = conditions.flatMap((each) => (isNamed(each) ? (each as WordCondition).values : []));
  const { jobs, environments, now } = await lookUp(ctx, names);
  const idsOf = (key: keyof typeof NAMED, ids: Record<string, string>, values: string[]) =>
    values.map((value) => {
      const id = isId(value) ? value : ids[value];
      if (id === undefined) throw invalid(at, `${key}:${value} is not ${NAMED[key]} of this project`, value);
      return id;
    });
  return conditions.map((each) => {
    if (each.key === "job") return { ...each, values: idsOf("job", jobs, each.values) };
    if (each.key === "env") return { ...each, values: idsOf("env", environments, each.values) };
    if ("ago_ms" in each) return { key: each.key, at: new Date(Date.parse(now) - each.ago_ms).toISOString() };
    return each;
  });
}

type Found = { jobs: Record<string, string>; environments: Record<string, string>; now: string };

async function lookUp(ctx: ProjectCtx, slugs: string[]): Promise<Found> {
  const { rows } = await sql<Found>`
    select clock()::timestamptz(3) as now,
      coalesce((select json_object_agg(j.slug, j.id) from jobs j
        where j.project_id = ${ctx.project_id} and j.slug = any(${slugs}) and j.deleted_at is null), '{}') as jobs,
      coalesce((select json_object_agg(e.slug, e.id) from environments e
        where e.project_id = ${ctx.project_id} and e.slug = any(${slugs})), '{}') as environments`.execute(ctx.db);
  if (!rows[0]) throw new Error("no row");
  return rows[0];
}

/** The SQL of conditions on `runs r`, each starting with `and`. Slugs and times must be resolved. */
export function conditionSql(project_id: string, conditions: readonly RunCondition[]): Sql {
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

function sqlOf(project_id: string, condition: RunCondition): Sql {
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
      return timeCondition(condition);
    case "error":
      return sql`(${sql.join([condition.text, ...(condition.or ?? [])].map(errorCondition), sql` or `)})`;
    case "text":
      return isId(condition.text) ? sql`r.id = ${condition.text}` : errorCondition(condition.text);
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

function numberSql({ key, operator, amount }: NumberCondition): Sql {
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

function timeCondition(condition: Extract<RunCondition, { key: "since" | "until" }>): Sql {
  if (!("at" in condition)) throw new Error("a time was not resolved");
  const { key, at } = condition;
  return key === "since" ? sql`r.created_at >= ${at}::timestamptz` : sql`r.created_at < ${at}::timestamptz`;
}

function errorCondition(text: string): Sql {
  return sql`(r.error is not null and (strpos(lower(r.error ->> 'message'), lower(${text}::text)) > 0
    or strpos(lower(r.error ->> 'code'), lower(${text}::text)) > 0))`;
}

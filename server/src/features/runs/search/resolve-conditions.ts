import type { RunCondition, WordCondition } from "@millrace/contract/query-language-types";
import { sql } from "kysely";
import type { ProjectCtx } from "../../../platform/context.ts";
import { invalid } from "../../../platform/errors/errors.ts";
import { isId } from "../../../platform/ids.ts";

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

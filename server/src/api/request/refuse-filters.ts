import { SYSTEM_ROLES } from "@millrace/contract/access/roles";
import type { ProblemError } from "@millrace/contract/schema/problem";
import type { TSchema } from "typebox";
import type { Ctx } from "../../platform/context.ts";
import { type Sql, sql } from "../../platform/database/sql.ts";
import { throwIssues } from "../../platform/errors/issues.ts";
import { isId } from "../../platform/ids.ts";
import { propertiesOf } from "./read-only-fields.ts";

type Refs = Record<string, unknown>;
type Exists = (project_id: string, ref: string) => Sql;

const BUILT_IN_ROLES = JSON.stringify(SYSTEM_ROLES.map(({ id, name }) => ({ id, name })));

/**
 * The objects a filter may name: by id, slug or name. Deleted jobs, workflows and environments are still found by id,
 * because runs refer to them; deleted roles are not.
 */
const KINDS: Record<string, { what: string; exists: Exists }> = {
  job_id: {
    what: "a job",
    exists: (project_id, ref) => sql`
      select 1 from jobs where project_id = ${project_id} and ${named(ref, sql`slug = ${ref} and deleted_at is null`)}`,
  },
  workflow_id: {
    what: "a workflow",
    exists: (project_id, ref) => sql`
      select 1 from workflows
      where project_id = ${project_id} and ${named(ref, sql`slug = ${ref} and deleted_at is null`)}`,
  },
  environment_id: {
    what: "an environment",
    // The row is gone after deletion; its runs stay, and so does the record of the deletion.
    exists: (project_id, ref) => sql`
      select 1 from environments where project_id = ${project_id} and ${named(ref, sql`slug = ${ref}`)}
      union all
      select 1 from audit_events
      where project_id = ${project_id} and resource_type = 'environment' and resource_id = ${ref}
        and action = 'environment.deleted'`,
  },
  role_id: {
    what: "a role",
    exists: (project_id, ref) => sql`
      select 1 from roles where project_id = ${project_id} and ${named(ref, sql`name = ${ref}`)}
      union all
      select 1 from json_to_recordset(${BUILT_IN_ROLES}::json) as s(id uuid, name text)
      where ${named(ref, sql`name = ${ref}`)}`,
  },
};

/** Whether a request may have something that the checks below look at. Schemas reject other fields. */
export function hasFilters({ query, body }: { query?: TSchema; body?: TSchema }): boolean {
  const checked = [...Object.keys(KINDS), "from", "to"];
  return checked.some((name) => name in propertiesOf(query)) || "filter" in propertiesOf(body);
}

/** An empty result would be misleading: a filter that names an object this project never had is refused. */
export async function refuseUnknownRefs(
  ctx: Ctx & { project_id: string },
  { query, body }: { query: Refs; body: unknown },
): Promise<void> {
  const filter = (body as { filter?: unknown } | undefined)?.filter;
  const inBody = typeof filter === "object" && filter !== null ? await unknownIn(ctx, "body.filter", filter) : [];
  throwIssues([...(await unknownIn(ctx, "query", query)), ...inBody]);
}

async function unknownIn(ctx: Ctx & { project_id: string }, at: string, given: object): Promise<ProblemError[]> {
  const issues: ProblemError[] = [];
  for (const [name, { what, exists }] of Object.entries(KINDS)) {
    const ref = (given as Refs)[name];
    if (typeof ref !== "string") continue;
    const { rows } = await sql`${exists(ctx.project_id, ref)} limit 1`.execute(ctx.db);
    if (rows.length > 0) continue;
    issues.push({ location: `${at}.${name}`, message: `is not ${what} of this project`, value: ref });
  }
  return issues;
}

function named(ref: string, bySlug: Sql): Sql {
  return isId(ref) ? sql`id = ${ref}` : bySlug;
}

type Times = { from?: unknown; to?: unknown };

/** `from` after `to` is a mistake: an empty result would be misleading. For every query or filter with both. */
export function refuseReversedTimes({ query, body }: { query: unknown; body: unknown }): void {
  const filter = (body as { filter?: unknown } | undefined)?.filter;
  throwIssues([...reversed("query", query), ...reversed("body.filter", filter)]);
}

function reversed(at: string, given: unknown): ProblemError[] {
  if (typeof given !== "object" || given === null) return [];
  const { from, to } = given as Times;
  if (typeof from !== "string" || typeof to !== "string" || !(Date.parse(from) > Date.parse(to))) return [];
  return [
    { location: `${at}.from`, message: "is after `to`", value: from },
    { location: `${at}.to`, message: "is before `from`", value: to },
  ];
}

import type { ListLogsQuery, RunLog } from "@millrace/contract/runs/run-records";
import { LOG_LEVELS } from "@millrace/contract/runs/sdk-records";
import { ofEnvironment } from "../../platform/access/environments.ts";
import { visible } from "../../platform/access/policies/visibility.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { type Sql, sql } from "../../platform/database/sql.ts";
import { isId } from "../../platform/ids.ts";
import { parseInstant } from "../../platform/time/instant.ts";

/** The position of a line in the order. */
export type Position = { created_at: string; id: string };

/** The lines of `run_logs l` from a position on. */
type Part = {
  orderBy: Sql;
  isAscending: boolean;
  /** The filters that an index supports: time and run. */
  span: Sql;
  after: Sql;
};

/** The position of the `count`-th line of a part; null: there are fewer. */
export async function findNthLine(
  ctx: ProjectCtx,
  { orderBy, span, after }: Part,
  count: number,
): Promise<Position | null> {
  const { rows } = await sql<Position>`
    select l.created_at, l.id from run_logs l where l.project_id = ${ctx.project_id} ${span} ${after}
    ${orderBy} limit 1 offset ${count - 1}`.execute(ctx.db);
  return rows[0] ?? null;
}

type Wanted = Part & { upTo: Position | null; conditions: Sql };

export async function readLines(ctx: ProjectCtx, wanted: Wanted, limit: number): Promise<RunLog[]> {
  const { orderBy, span, after, upTo, conditions } = wanted;
  const end = upTo ? notBeyond(upTo, wanted.isAscending) : sql``;
  const { rows } = await sql<RunLog>`
    select l.id, l.run_id, l.job_id, l.attempt, l.level, l.message, l.fields, l.logged_at, l.created_at
    from run_logs l
    where l.project_id = ${ctx.project_id} ${span} ${after} ${end} ${conditions}
    ${orderBy} limit ${limit}`.execute(ctx.db);
  return rows;
}

/** Matches the lines after a position. */
export function beyond({ created_at, id }: Position, isAscending: boolean): Sql {
  const comparison = isAscending ? sql`>` : sql`<`;
  return sql`and (l.created_at, l.id) ${comparison} (${created_at}::timestamptz, ${id}::uuid)`;
}

function notBeyond({ created_at, id }: Position, isAscending: boolean): Sql {
  const comparison = isAscending ? sql`<=` : sql`>=`;
  return sql`and (l.created_at, l.id) ${comparison} (${created_at}::timestamptz, ${id}::uuid)`;
}

/** The filters that an index supports: time and run. Undefined: no line can match. */
export async function readSpan(ctx: ProjectCtx, query: ListLogsQuery): Promise<Sql | undefined> {
  const { run_id, workflow_run_id, from, to } = query;
  const lived = workflow_run_id === undefined ? sql`` : await spanOfWorkflow(ctx, workflow_run_id);
  if (!lived) return undefined;
  return joined([
    lived,
    run_id !== undefined && sql`and l.run_id = ${run_id}`,
    from !== undefined && sql`and l.created_at >= ${parseInstant("query.from", from)}::timestamptz`,
    to !== undefined && sql`and l.created_at < ${parseInstant("query.to", to)}::timestamptz`,
  ]);
}

/**
 * The conditions checked on each line. A caller who may not see a run does not see its lines; the run is looked up per
 * line (`offset 0`), never joined.
 */
export function conditionsOf(ctx: ProjectCtx, query: ListLogsQuery): Sql {
  const { q, level, min_level, job_id, workflow_run_id, environment_id } = query;
  const ofRun = workflow_run_id === undefined ? sql`` : sql`and r.workflow_run_id = ${workflow_run_id}`;
  return joined([
    level !== undefined && sql`and l.level = any(${level.split(",")})`,
    min_level !== undefined && sql`and l.level = any(${LOG_LEVELS.slice(LOG_LEVELS.indexOf(min_level))})`,
    job_id !== undefined && sql`and l.job_id = ${jobNamed(ctx, job_id)}`,
    q !== undefined && sql`and strpos(lower(l.message), lower(${q})) > 0`,
    sql`and exists (select 1 from runs r where r.project_id = l.project_id and r.id = l.run_id
      and ${visible(ctx, "runs", "r")} ${ofRun} ${ofEnvironment(ctx, "r", environment_id)} offset 0)`,
  ]);
}

/** Its runs log while it is active; an extra hour allows for clock differences and late lines. */
async function spanOfWorkflow(ctx: ProjectCtx, id: string): Promise<Sql | undefined> {
  const { rows } = await sql<{ created_at: string; finished_at: string | null }>`
    select created_at, finished_at + interval '1 hour' as finished_at from workflow_runs
    where project_id = ${ctx.project_id} and id = ${id}`.execute(ctx.db);
  if (!rows[0]) return undefined;
  const { created_at, finished_at } = rows[0];
  const since = sql`and l.created_at >= ${created_at}::timestamptz`;
  return finished_at === null ? since : sql`${since} and l.created_at < ${finished_at}::timestamptz`;
}

function jobNamed(ctx: ProjectCtx, ref: string): Sql {
  if (isId(ref)) return sql`${ref}`;
  return sql`(select j.id from jobs j where j.project_id = ${ctx.project_id} and j.slug = ${ref} and j.deleted_at is null)`;
}

function joined(conditions: (Sql | false)[]): Sql {
  return sql.join(
    conditions.filter((condition) => condition !== false),
    sql` `,
  );
}

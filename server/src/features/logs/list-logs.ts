import type { ListLogsQuery, RunLog } from "@millrace/contract/run-records";
import { type RawBuilder, sql } from "kysely";
import { visible } from "../../platform/access/visibility.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { isId } from "../../platform/ids.ts";
import { parseInstant } from "../../platform/instant.ts";
import { presentPage, readPage } from "../../platform/listing/page.ts";

/** The lines of all runs of a project. A text is looked for line by line: name a time, and it looks no further. */
export async function listLogs(ctx: ProjectCtx, query: ListLogsQuery) {
  const page = readPage(ctx, "logs", query, "l");
  const { rows } = await sql<RunLog>`
    select l.id, l.run_id, l.job_id, l.attempt, l.level, l.message, l.fields, l.logged_at, l.created_at
    from run_logs l
    join runs r on r.project_id = l.project_id and r.id = l.run_id
    where l.project_id = ${ctx.project_id} and ${visible(ctx, "runs", "r")} ${wanted(ctx, query)} ${page.after}
    ${page.orderBy} limit ${page.limit + 1}`.execute(ctx.db);
  return presentPage(ctx, page, rows);
}

function wanted(ctx: ProjectCtx, { q, level, job_id, run_id, from, to }: ListLogsQuery): RawBuilder<unknown> {
  const conditions = [
    q !== undefined && sql`and strpos(lower(l.message), lower(${q})) > 0`,
    level !== undefined && sql`and l.level = ${level}`,
    job_id !== undefined && sql`and l.job_id = ${jobNamed(ctx, job_id)}`,
    run_id !== undefined && sql`and l.run_id = ${run_id}`,
    from !== undefined && sql`and l.created_at >= ${parseInstant("query.from", from)}::timestamptz`,
    to !== undefined && sql`and l.created_at < ${parseInstant("query.to", to)}::timestamptz`,
  ];
  return sql.join(
    conditions.filter((condition) => condition !== false),
    sql` `,
  );
}

function jobNamed(ctx: ProjectCtx, ref: string): RawBuilder<unknown> {
  if (isId(ref)) return sql`${ref}`;
  return sql`(select j.id from jobs j where j.project_id = ${ctx.project_id} and j.slug = ${ref} and j.deleted_at is null)`;
}

import type { Ctx } from "../../../platform/context.ts";
import { type Sql, sql } from "../../../platform/database/sql.ts";
import { perService } from "../../../platform/service-state.ts";

/** Rows of all projects that become due. They have one index by time, and one by project and time. */
export type DueRows = {
  name: string;
  /** The table as `t`, and the condition on its rows, matching the indexes. */
  rows: Sql;
  /** The column with the due time. */
  at: Sql;
};

/** An SQL condition: some of them are due. Reads the first entry of their index by time. */
export function hasDue({ rows, at }: DueRows): Sql {
  return sql`(select ${at} from ${rows} order by ${at} limit 1) <= clock()`;
}

/** Processes up to `max` due rows, the oldest first, of one project or of all. Returns how many there were. */
type DuePage = (ofProject: Sql, max: number) => Promise<number>;

const MAX_PROJECTS = 64;
/** The page of one project, as a fraction of the page over all projects. */
const SHARE = 0.2;
const START = "00000000-0000-0000-0000-000000000000";

/** Where the last walk over the projects with due rows stopped, by the name of the rows. */
const cursorsOf = perService(() => new Map<string, string>());

/**
 * Processes one page of due rows, the oldest first. A full page may belong to one project alone: then every project
 * with due rows gets a smaller page, round-robin. True: there may be more.
 */
export async function processDue(ctx: Ctx, rows: DueRows, max: number, page: DuePage): Promise<boolean> {
  if ((await page(sql``, max)) < max) return false;
  for (const project_id of await nextProjects(ctx, rows)) {
    await page(sql`and project_id = ${project_id}`, Math.ceil(max * SHARE));
  }
  return true;
}

/** A loose index scan by project and time: its cost grows with the number of projects, not with their rows. */
async function nextProjects(ctx: Ctx, { name, rows: meant, at }: DueRows): Promise<string[]> {
  const cursors = cursorsOf(ctx);
  const after = cursors.get(name) ?? START;
  const { rows } = await sql<{ project_id: string; is_due: boolean }>`
    /* prepared */
    with recursive walked as (
      select n.*, 1 as nth from (
        select t.project_id, ${at} as due_at from ${meant} and t.project_id > ${after}::uuid
        order by t.project_id, ${at} limit 1
      ) n
      union all
      select n.*, w.nth + 1 from walked w, lateral (
        select t.project_id, ${at} as due_at from ${meant} and t.project_id > w.project_id
        order by t.project_id, ${at} limit 1
      ) n where w.nth < ${sql.lit(MAX_PROJECTS)}
    )
    select project_id, due_at <= clock() as is_due from walked order by nth`.execute(ctx.db);
  cursors.set(name, rows.length === MAX_PROJECTS ? (rows.at(-1)?.project_id ?? START) : START);
  return rows.filter((row) => row.is_due).map((row) => row.project_id);
}

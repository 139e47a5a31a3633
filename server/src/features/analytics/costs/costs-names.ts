import { sql } from "kysely";
import { visible, visibleSchedule } from "../../../platform/access/policies/visibility.ts";
import type { ProjectCtx } from "../../../platform/context.ts";

/** The display name of a resource. Undefined: it may not be shown. Null: it was deleted. */
export type NameOf = (id: string) => string | null | undefined;

type Row = { id: string; name: string; is_shown: boolean };
export type Ids = Record<"jobs" | "environments" | "workflows" | "schedules", readonly string[]>;

/** Reads the names of the resources that costs are grouped by, as far as the caller may see them. */
export async function readNames(ctx: ProjectCtx, ids: Ids): Promise<NameOf> {
  const { rows } = await sql<Row>`
    select j.id, j.slug as name, true as is_shown from jobs j
    where j.project_id = ${ctx.project_id} and j.id = any(${ids.jobs}::uuid[])
    union all
    select e.id, e.slug, ${visible(ctx, "environments", "e")} from environments e
    where e.project_id = ${ctx.project_id} and e.id = any(${ids.environments}::uuid[])
    union all
    select w.id, w.slug, ${visible(ctx, "workflows", "w")} from workflows w
    where w.project_id = ${ctx.project_id} and w.id = any(${ids.workflows}::uuid[])
    union all
    select s.id, coalesce(s.name, s.cron), ${visibleSchedule(ctx, "s")} from schedules s
    where s.project_id = ${ctx.project_id} and s.id = any(${ids.schedules}::uuid[])`.execute(ctx.db);
  const found = new Map(rows.map((row) => [row.id, row]));
  return (id) => {
    const row = found.get(id);
    if (!row) return null;
    return row.is_shown ? row.name : undefined;
  };
}

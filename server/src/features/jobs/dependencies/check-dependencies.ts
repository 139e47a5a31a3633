import { sql } from "kysely";
import { visible } from "../../../platform/access/policies/visibility.ts";
import type { ProjectCtx } from "../../../platform/context.ts";
import { ApiError } from "../../../platform/errors/errors.ts";

/** Rejects the ids of runs that do not exist or that the caller may not see, each with its location. */
export async function checkDependencies(ctx: ProjectCtx, run_ids: string[], at: string): Promise<void> {
  const { rows } = await sql<{ id: string; nth: number }>`
    select g.id, g.nth::int - 1 as nth from unnest(${run_ids}::uuid[]) with ordinality as g(id, nth)
    where not exists (
      select 1 from runs r
      where r.project_id = ${ctx.project_id} and r.id = g.id and ${visible(ctx, "runs", "r")} offset 0)
    order by g.nth`.execute(ctx.db);
  if (rows.length === 0) return;
  const errors = rows.map(({ id, nth }) => ({
    location: `${at}.depends_on_run_ids[${nth}]`,
    message: "is not a run of this project",
    value: id,
  }));
  const locations = errors.map(({ location }) => location).join(", ");
  throw new ApiError("validation_failed", `${locations}: is not a run of this project`, { errors });
}

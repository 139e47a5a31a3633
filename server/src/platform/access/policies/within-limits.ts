import { type RawBuilder, sql } from "kysely";
import type { TokenLimits } from "../credentials/token-limits.ts";

/** Predicate for the rows of a table that a scoped token may see, in addition to the environment's predicate. */
export function withinLimits(limits: TokenLimits, table: string, alias: string): RawBuilder<unknown> {
  const column = (name: string) => sql.ref(`${alias}.${name}`);
  switch (table) {
    case "runs":
      return sql`(${column("id")} = any(${limits.run_ids}::uuid[])
        or ${column("workflow_run_id")} = any(${limits.workflow_run_ids}::uuid[]) or ${tagged(limits, column("tags"))})`;
    case "workflow_runs":
      return sql`(${column("id")} = any(${limits.workflow_run_ids}::uuid[]) or ${tagged(limits, column("tags"))})`;
    case "event_triggers":
      return sql`(${column("job_run_id")} = any(${limits.run_ids}::uuid[])
        or ${column("workflow_run_id")} = any(${limits.workflow_run_ids}::uuid[])
        or exists (select 1 from runs r where r.project_id = ${column("project_id")} and r.id = ${column("job_run_id")}
          and ${withinLimits(limits, "runs", "r")})
        or exists (select 1 from workflow_runs w where w.project_id = ${column("project_id")}
          and w.id = ${column("workflow_run_id")} and ${withinLimits(limits, "workflow_runs", "w")}))`;
    case "jobs":
    case "environments":
      // Looked up by the names in a trigger; no scope of a token lets its holder read these rows.
      return sql`true`;
    default:
      return sql`false`;
  }
}

function tagged({ tags }: TokenLimits, column: RawBuilder<unknown>): RawBuilder<unknown> {
  return tags === null ? sql`false` : sql`${column} @> ${JSON.stringify(tags)}::jsonb`;
}

import { visibleTrigger } from "../../../platform/access/policies/denied-runs.ts";
import { withAccess } from "../../../platform/access/policies/policies.ts";
import { visible } from "../../../platform/access/policies/visibility.ts";
import type { ProjectCtx } from "../../../platform/context.ts";
import type { Sql } from "../../../platform/database/sql.ts";

/** Predicates for the rows that a trace shows besides the run's own: each by the scope of its own endpoint. */
export type Readable = { trigger: Sql; run: Sql; job: Sql };

/** Of `event_triggers t`, `runs c` and `jobs j`. */
export async function readableBy(ctx: ProjectCtx): Promise<Readable> {
  return {
    trigger: await visibleTrigger(await withAccess(ctx, "events:read"), "t"),
    run: visible(ctx, "runs", "c"),
    job: visible(await withAccess(ctx, "jobs:read"), "jobs", "j"),
  };
}

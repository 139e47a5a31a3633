import type { InTransaction, ProjectCtx } from "../../platform/context.ts";
import { invalid } from "../../platform/errors.ts";
import { findEnvironment, listLineage, lockParents } from "./queries.ts";

const MAX_DEPTH = 10;

/** Refuses a parent that does not exist, that would close a cycle, or that makes the line of parents too long. */
export async function checkParent(ctx: ProjectCtx & InTransaction, id: string, parent_id: string): Promise<void> {
  await lockParents(ctx);
  if (!(await findEnvironment(ctx, parent_id)))
    throw invalid("body.parent_id", "is not an environment of this project", parent_id);
  const line = await listLineage(ctx, parent_id);
  if (line.some((ancestor) => ancestor.id === id)) {
    const names = line.map((ancestor) => ancestor.slug).join(" → ");
    throw invalid(
      "body.parent_id",
      `inherits from this environment (${names}): that would be a cycle`,
      parent_id,
      "environment_cycle",
    );
  }
  if (line.length >= MAX_DEPTH) {
    throw invalid(
      "body.parent_id",
      `has ${line.length} levels already; ${MAX_DEPTH} is the most`,
      parent_id,
      "environment_cycle",
    );
  }
}

import type { ResolvedEnvironment } from "@millrace/contract/projects/environments";
import type { InTransaction, ProjectCtx } from "../../platform/context.ts";
import { violates } from "../../platform/database/database-errors.ts";
import { type ApiError, invalid, notFound } from "../../platform/errors/errors.ts";
import { countLevels, type EnvironmentRow, findEnvironment, listLineage } from "./queries.ts";
import { decryptVariables, inherit, presentEnvironment } from "./variables.ts";

export async function getEnvironment(ctx: ProjectCtx, ref: string): Promise<ResolvedEnvironment> {
  const row = await findEnvironment(ctx, ref);
  if (!row) throw notFound("environment");
  return resolveEnvironment(ctx, row);
}

/** Includes the effective variables of its runs: its own over those of all its ancestors. */
export async function resolveEnvironment(ctx: ProjectCtx, row: EnvironmentRow): Promise<ResolvedEnvironment> {
  const line = await listLineage(ctx, row.id);
  const nearestFirst = await Promise.all(line.map((ancestor) => decryptVariables(ctx, ancestor)));
  return { ...(await presentEnvironment(ctx, row)), resolved_variables: inherit(nearestFirst) };
}

const MAX_DEPTH = 10;

/**
 * The id of a parent given by id or slug. Rejects one that does not exist, that would close a cycle, or that makes the
 * chain of ancestors too long. Call it under `lockParents`, so that the check still holds at the commit.
 */
export async function readParent(ctx: ProjectCtx & InTransaction, id: string, ref: string): Promise<string> {
  const parent = await findEnvironment(ctx, ref);
  if (!parent) throw noSuchParent(ref);
  const line = await listLineage(ctx, parent.id);
  if (line.some((ancestor) => ancestor.id === id)) {
    const names = line.map((ancestor) => ancestor.slug).join(" → ");
    throw invalid(
      "body.parent_id",
      `inherits from this environment (${names}): that would be a cycle`,
      ref,
      "environment_cycle",
    );
  }
  const levels = line.length + (await countLevels(ctx, id));
  if (levels > MAX_DEPTH) {
    const message = `would make ${levels} levels of parents; the limit is ${MAX_DEPTH}`;
    throw invalid("body.parent_id", message, ref, "environment_cycle");
  }
  return parent.id;
}

/** The parent was deleted between the check and the write. */
export function refuseVanishedParent(error: unknown, parent_id: string | null | undefined): never {
  throw violates(error, "environments_project_id_parent_id_fkey") ? noSuchParent(parent_id) : error;
}

function noSuchParent(parent_id: string | null | undefined): ApiError {
  return invalid("body.parent_id", "is not an environment of this project", parent_id);
}

import type { ResolvedEnvironment } from "@millrace/contract/environments";
import type { ProjectCtx } from "../../platform/context.ts";
import { notFound } from "../../platform/errors/errors.ts";
import { type EnvironmentRow, findEnvironment, listLineage } from "./queries.ts";
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

import type { ResolvedEnvironment } from "@millrace/contract/environments";
import type { ProjectCtx } from "../../platform/context.ts";
import { notFound } from "../../platform/errors.ts";
import { type EnvironmentRow, findEnvironment, listLineage } from "./queries.ts";
import { inherit, openVariables, presentEnvironment } from "./variables.ts";

export async function getEnvironment(ctx: ProjectCtx, ref: string): Promise<ResolvedEnvironment> {
  const row = await findEnvironment(ctx, ref);
  if (!row) throw notFound("environment");
  return resolveEnvironment(ctx, row);
}

/** With what a run in it receives: its own variables over those of all its parents. */
export async function resolveEnvironment(ctx: ProjectCtx, row: EnvironmentRow): Promise<ResolvedEnvironment> {
  const line = await listLineage(ctx, row.id);
  const nearestFirst = await Promise.all(line.map((ancestor) => openVariables(ctx, ancestor)));
  return { ...(await presentEnvironment(ctx, row)), resolved_variables: inherit(nearestFirst) };
}

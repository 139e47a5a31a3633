import type { Environment, ResolvedEnvironment } from "@millrace/contract/environments";
import type { ProjectCtx } from "../../platform/context.ts";
import { notFound } from "../../platform/errors.ts";
import { type EnvironmentRow, findEnvironment, listLineage } from "./queries.ts";
import { inherit, openVariables, presentEnvironment } from "./variables.ts";

export async function getEnvironment(ctx: ProjectCtx, ref: string): Promise<Environment> {
  return presentEnvironment(ctx, await existing(ctx, ref));
}

/** With what a run in it receives: its own variables over those of all its parents. */
export async function getResolvedEnvironment(ctx: ProjectCtx, ref: string): Promise<ResolvedEnvironment> {
  const row = await existing(ctx, ref);
  const line = await listLineage(ctx, row.id);
  const nearestFirst = await Promise.all(line.map((ancestor) => openVariables(ctx, ancestor)));
  return { ...(await presentEnvironment(ctx, row)), resolved_variables: inherit(nearestFirst) };
}

async function existing(ctx: ProjectCtx, ref: string): Promise<EnvironmentRow> {
  const row = await findEnvironment(ctx, ref);
  if (!row) throw notFound("environment");
  return row;
}

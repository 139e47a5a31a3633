import { boundEnvironment } from "../../platform/access/bound-environment.ts";
import type { CallerCtx, ProjectCtx } from "../../platform/context.ts";
import { ApiError, notFound } from "../../platform/errors/errors.ts";
import { findOwnProject } from "./queries.ts";

/** Resolves the path's project by id or slug; another project's is not found. */
export async function ownProject<C extends CallerCtx>(ctx: C, ref: string): Promise<C & ProjectCtx> {
  const project_id = await findOwnProject(ctx, ref);
  if (project_id === undefined) throw notFound("project");
  return { ...ctx, project_id };
}

/** A policy applies to the workflows of every environment. */
export function refuseBoundKey({ caller }: CallerCtx): void {
  if (boundEnvironment(caller) === null) return;
  throw new ApiError("forbidden", "This key is bound to one environment; the policy belongs to the whole project.");
}

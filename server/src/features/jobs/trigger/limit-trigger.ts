import { readRun } from "../../../flow/runs/read-run.ts";
import { isRunWithin, limitsOf } from "../../../platform/access/credentials/token-limits.ts";
import type { ProjectCtx } from "../../../platform/context.ts";
import { notFound } from "../../../platform/errors/errors.ts";

type Tagged = { tags?: Record<string, string> | string[] };

/** Runs started with a scoped token carry the tags of the token, so that the token can see them. */
export function limitTrigger<T extends Tagged>({ caller }: ProjectCtx, requested: T): T {
  const own = limitsOf(caller)?.tags;
  if (!own) return requested;
  const given = Array.isArray(requested.tags)
    ? Object.fromEntries(requested.tags.map((name) => [name, "true"]))
    : (requested.tags ?? {});
  return { ...requested, tags: { ...given, ...own } };
}

/** A trigger may return an existing run, but not to a token that may not read it. */
export async function refuseBeyondToken(ctx: ProjectCtx, run_id: string): Promise<void> {
  const limits = limitsOf(ctx.caller);
  if (!limits) return;
  const run = await readRun(ctx, ctx.project_id, run_id);
  if (!run || !isRunWithin(limits, run)) throw notFound("run");
}

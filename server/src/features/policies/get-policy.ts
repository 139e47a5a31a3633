import type { ProjectCtx } from "../../platform/context.ts";
import { notFound } from "../../platform/errors/errors.ts";
import { presentPolicy } from "./present-policy.ts";
import { findPolicy, type PolicyKind } from "./queries.ts";

export async function getPolicy(ctx: ProjectCtx, kind: PolicyKind, id: string) {
  const row = await findPolicy(ctx, kind, id);
  if (!row) throw notFound("policy");
  return presentPolicy(row);
}

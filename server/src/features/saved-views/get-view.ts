import type { SavedView } from "@millrace/contract/saved-views";
import { refuseBoundKey } from "../../platform/access/bound-environment.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { notFound } from "../../platform/errors/errors.ts";
import { findView } from "./queries.ts";

export async function getView(ctx: ProjectCtx, id: string): Promise<SavedView> {
  refuseBoundKey(ctx.caller, "saved views are");
  const view = await findView(ctx, id);
  if (!view) throw notFound("saved view");
  return view;
}

import type { ListSavedViewsQuery } from "@millrace/contract/saved-views";
import { refuseBoundKey } from "../../platform/access/bound-environment.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { presentPage, readPage } from "../../platform/listing/page.ts";
import { listViews as listRows } from "./queries.ts";

/** A key bound to one environment must not see what others search for in other environments. */
export async function listViews(ctx: ProjectCtx, query: ListSavedViewsQuery) {
  refuseBoundKey(ctx.caller, "saved views are");
  const page = readPage(ctx, "saved_views", query, "v");
  return presentPage(ctx, page, await listRows(ctx, query, page));
}

import type { ListChildrenQuery } from "@millrace/contract/runs";
import type { ProjectCtx } from "../../platform/context.ts";
import { presentPage, readPageById } from "../../platform/listing/page.ts";
import { getRun } from "./get-run.ts";
import { listChildren as listRows } from "./queries.ts";

export async function listChildren(ctx: ProjectCtx, id: string, query: ListChildrenQuery) {
  const parent = await getRun(ctx, id);
  const page = readPageById(ctx, `runs/${parent.id}/children`, query, "r");
  return presentPage(ctx, page, await listRows(ctx, parent.id, page));
}

import type { ListCapsulesQuery } from "@millrace/contract/capsules";
import type { ProjectCtx } from "../../../platform/context.ts";
import { presentPage, readPageById } from "../../../platform/listing/page.ts";
import { listCapsuleRows } from "./capsule-queries.ts";

export async function listCapsules(ctx: ProjectCtx, query: ListCapsulesQuery) {
  const page = readPageById(ctx, "workflow-runs/capsules", query, "c");
  return presentPage(ctx, page, await listCapsuleRows(ctx, page));
}

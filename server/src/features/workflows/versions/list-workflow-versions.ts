import type { ListWorkflowVersionsQuery } from "@millrace/contract/workflows";
import type { ProjectCtx } from "../../../platform/context.ts";
import { presentPage, readPage } from "../../../platform/listing/page.ts";
import { getWorkflow } from "../get-workflow.ts";
import { listVersions } from "./version-queries.ts";

export async function listWorkflowVersions(ctx: ProjectCtx, ref: string, query: ListWorkflowVersionsQuery) {
  const { id } = await getWorkflow(ctx, ref);
  const page = readPage(ctx, `versions of ${id}`, query, "v");
  return presentPage(ctx, page, await listVersions(ctx, id, page));
}

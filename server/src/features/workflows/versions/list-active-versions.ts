import type { ListActiveVersionsQuery } from "@millrace/contract/workflow-versions";
import type { ProjectCtx } from "../../../platform/context.ts";
import { presentPage, readPage } from "../../../platform/listing/page.ts";
import { getWorkflow } from "../get-workflow.ts";
import { listActiveVersions as listRows } from "./version-queries.ts";

export async function listActiveVersions(ctx: ProjectCtx, ref: string, query: ListActiveVersionsQuery) {
  const { id } = await getWorkflow(ctx, ref);
  const page = readPage(ctx, `active versions of ${id}`, query, "v");
  const { data, ...rest } = presentPage(ctx, page, await listRows(ctx, id, page));
  return { ...rest, data: data.map(({ id: _, ...version }) => version) };
}

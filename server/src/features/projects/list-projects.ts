import type { ListProjectsQuery } from "@millrace/contract/projects";
import type { CallerCtx } from "../../platform/context.ts";
import { presentPage, readPage } from "../../platform/listing/page.ts";
import { listProjects as listRows } from "./queries.ts";

export async function listProjects(ctx: CallerCtx, query: ListProjectsQuery) {
  const page = readPage(ctx, "projects", query, "p");
  return presentPage(ctx, page, await listRows(ctx, page));
}

import type { ListEnvironmentsQuery } from "@millrace/contract/environments";
import type { ProjectCtx } from "../../platform/context.ts";
import { presentPage, readPage } from "../../platform/listing/page.ts";
import { listEnvironments as listRows } from "./queries.ts";
import { presentEnvironment } from "./variables.ts";

export async function listEnvironments(ctx: ProjectCtx, query: ListEnvironmentsQuery) {
  const page = readPage(ctx, "environments", query, "e");
  const { data, ...rest } = presentPage(ctx, page, await listRows(ctx, page));
  return { data: await Promise.all(data.map((row) => presentEnvironment(ctx, row))), ...rest };
}

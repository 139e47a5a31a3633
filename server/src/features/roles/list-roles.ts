import type { ListRolesQuery } from "@millrace/contract/roles";
import type { ProjectCtx } from "../../platform/context.ts";
import { presentPage, readPage } from "../../platform/listing/page.ts";
import { presentRole } from "./present-role.ts";
import { listRoles as listRows } from "./queries.ts";

export async function listRoles(ctx: ProjectCtx, query: ListRolesQuery) {
  const page = readPage(ctx, "roles", query, "r");
  const { data, ...rest } = presentPage(ctx, page, await listRows(ctx, page));
  return { data: data.map((row) => presentRole(row)), ...rest };
}

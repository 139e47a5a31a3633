import type { GetRoleQuery, Role } from "@millrace/contract/roles";
import { readLineage } from "../../platform/access/policies/role-lineage.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { notFound } from "../../platform/errors/errors.ts";
import { presentRole } from "./present-role.ts";
import { findRole } from "./queries.ts";

export async function getRole(ctx: ProjectCtx, ref: string, { include_lineage }: GetRoleQuery): Promise<Role> {
  const row = await findRole(ctx, ref);
  if (!row) throw notFound("role");
  return presentRole(row, include_lineage ? await readLineage(ctx, ctx.project_id, row.id) : undefined);
}

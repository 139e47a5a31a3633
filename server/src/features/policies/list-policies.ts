import type { ListPoliciesQuery } from "@millrace/contract/policies";
import type { ProjectCtx } from "../../platform/context.ts";
import { presentPage, readPage } from "../../platform/listing/page.ts";
import { presentPolicy } from "./present-policy.ts";
import { listPolicies as listRows, type PolicyKind } from "./queries.ts";

export async function listPolicies(ctx: ProjectCtx, kind: PolicyKind, query: ListPoliciesQuery) {
  const page = readPage(ctx, `${kind}-policies`, query, "p");
  const { data, ...rest } = presentPage(ctx, page, await listRows(ctx, kind, page));
  return { data: data.map(presentPolicy), ...rest };
}

import { sql } from "kysely";
import { forgetPolicies } from "../../platform/access/policies/policies.ts";
import { recordAudit } from "../../platform/audit/record-audit.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { notFound } from "../../platform/errors/errors.ts";
import { presentPolicy } from "./present-policy.ts";
import { lockPolicy, type PolicyKind } from "./queries.ts";
import { refuseOwnDeny } from "./write-policy.ts";

export async function deletePolicy(ctx: ProjectCtx, kind: PolicyKind, id: string): Promise<undefined> {
  await inTransaction(ctx, async (tx) => {
    const row = await lockPolicy(tx, kind, id);
    if (!row) throw notFound("policy");
    refuseOwnDeny(tx, row);
    await sql`delete from access_policies where project_id = ${ctx.project_id} and id = ${id}`.execute(tx.db);
    const [resource_type, before] = [`${kind}_policy`, presentPolicy(row)];
    await recordAudit(tx, { action: `${resource_type}.deleted`, resource_type, resource_id: id, before });
  });
  forgetPolicies(ctx);
}

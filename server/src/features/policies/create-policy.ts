import type { CreateResourcePolicy, CreateTagPolicy } from "@millrace/contract/policies";
import { sql } from "kysely";
import { forgetPolicies } from "../../platform/access/policies/policies.ts";
import { recordAudit } from "../../platform/audit/record-audit.ts";
import type { InTransaction, ProjectCtx } from "../../platform/context.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { ApiError } from "../../platform/errors/errors.ts";
import { newId } from "../../platform/ids.ts";
import { getPolicy } from "./get-policy.ts";
import { countPolicies, type PolicyKind } from "./queries.ts";
import { readResource } from "./read-resource.ts";
import { readSubject } from "./read-subject.ts";
import { writePolicy } from "./write-policy.ts";

/** Every request evaluates all policies of the project. */
const MAX_POLICIES = 500;

export async function createPolicy(
  ctx: ProjectCtx,
  kind: PolicyKind,
  { project_id: _, ...body }: CreateResourcePolicy | CreateTagPolicy,
) {
  const id = newId();
  const created = await inTransaction(ctx, async (tx) => {
    await refuseTooMany(tx);
    const none = { resource_type: null, resource_id: null, tag_key: null, tag_value: null, description: null };
    const about = "resource_id" in body && {
      resource_id: await readResource(tx, body.resource_type, body.resource_id),
    };
    await writePolicy(tx, { ...none, ...body, ...about, id, kind, subject: await readSubject(tx, body.subject) });
    const after = await getPolicy(tx, kind, id);
    const resource_type = `${kind}_policy`;
    const { matches_anything: _moving, ...recorded } = after;
    await recordAudit(tx, { action: `${resource_type}.created`, resource_type, resource_id: id, after: recorded });
    return after;
  });
  forgetPolicies(ctx);
  return created;
}

async function refuseTooMany(tx: ProjectCtx & InTransaction): Promise<void> {
  await sql`select 1 from projects where id = ${tx.project_id} for update`.execute(tx.db);
  if ((await countPolicies(tx)) < MAX_POLICIES) return;
  throw new ApiError("conflict", `A project has at most ${MAX_POLICIES} policies.`);
}

import { isDeepStrictEqual } from "node:util";
import type { UpdateResourcePolicy, UpdateTagPolicy } from "@millrace/contract/policies";
import { forgetPolicies } from "../../platform/access/policies/policies.ts";
import { recordAudit } from "../../platform/audit/record-audit.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { notFound } from "../../platform/errors/errors.ts";
import { getPolicy } from "./get-policy.ts";
import { presentPolicy } from "./present-policy.ts";
import { lockPolicy, type PolicyKind, type PolicyRow } from "./queries.ts";
import { readResource } from "./read-resource.ts";
import { readSubject } from "./read-subject.ts";
import { refuseOwnDeny, writePolicy } from "./write-policy.ts";

type PolicyRef = { kind: PolicyKind; id: string };

export async function updatePolicy(ctx: ProjectCtx, ref: PolicyRef, body: UpdateResourcePolicy | UpdateTagPolicy) {
  const { kind, id } = ref;
  const updated = await inTransaction(ctx, async (tx) => {
    const row = await lockPolicy(tx, kind, id);
    if (!row) throw notFound("policy");
    const policy = await withIds(tx, row, { ...row, ...body });
    if (isDeepStrictEqual(policy, row)) return getPolicy(tx, kind, id);
    refuseOwnDeny(tx, row);
    await writePolicy(tx, policy);
    const after = await getPolicy(tx, kind, id);
    const resource_type = `${kind}_policy`;
    const { matches_anything: _moving, ...recorded } = after;
    const entry = { resource_type, resource_id: id, before: presentPolicy(row), after: recorded };
    await recordAudit(tx, { action: `${resource_type}.updated`, ...entry });
    return after;
  });
  forgetPolicies(ctx);
  return updated;
}

/** Unchanged references are not looked up again: they may be deleted. */
async function withIds(tx: ProjectCtx, row: PolicyRow, requested: PolicyRow): Promise<PolicyRow> {
  const { resource_type, resource_id } = requested;
  const isSame = resource_type === row.resource_type && resource_id === row.resource_id;
  return {
    ...requested,
    subject: requested.subject === row.subject ? row.subject : await readSubject(tx, requested.subject),
    resource_id:
      isSame || resource_type === null || resource_id === null
        ? resource_id
        : await readResource(tx, resource_type, resource_id),
  };
}

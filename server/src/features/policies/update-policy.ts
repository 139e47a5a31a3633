import { isDeepStrictEqual } from "node:util";
import type { UpdateResourcePolicy, UpdateTagPolicy } from "@millrace/contract/policies";
import { forgetPolicies } from "../../platform/access/policies.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { notFound } from "../../platform/errors.ts";
import { recordAudit } from "../../platform/ledger/record-audit.ts";
import { getPolicy } from "./get-policy.ts";
import { presentPolicy } from "./present-policy.ts";
import { lockPolicy, type PolicyKind } from "./queries.ts";
import { readSubject } from "./read-subject.ts";
import { refuseOwnDeny, writePolicy } from "./write-policy.ts";

type Place = { kind: PolicyKind; id: string };

export async function updatePolicy(ctx: ProjectCtx, place: Place, body: UpdateResourcePolicy | UpdateTagPolicy) {
  const { kind, id } = place;
  const answer = await inTransaction(ctx, async (tx) => {
    const row = await lockPolicy(tx, kind, id);
    if (!row) throw notFound("policy");
    const subject = body.subject === undefined ? row.subject : await readSubject(tx, body.subject);
    const policy = { ...row, ...body, subject };
    const before = presentPolicy(row);
    if (isDeepStrictEqual(policy, row)) return before;
    refuseOwnDeny(tx, row);
    await writePolicy(tx, policy);
    const after = await getPolicy(tx, kind, id);
    const resource_type = `${kind}_policy`;
    await recordAudit(tx, { action: `${resource_type}.updated`, resource_type, resource_id: id, before, after });
    return after;
  });
  forgetPolicies(ctx);
  return answer;
}

import type { EventSourceSecret, RotateEventSourceSecret } from "@millrace/contract/event-sources";
import { refuseBoundKey } from "../../platform/access/bound-environment.ts";
import { recordAudit } from "../../platform/audit/record-audit.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { invalid, notFound } from "../../platform/errors/errors.ts";
import { throwIssues } from "../../platform/errors/throw-issues.ts";
import { lockSource, replaceSecret } from "./queries.ts";
import { secretIssues } from "./source-issues.ts";
import { chooseSecret, encryptSecret } from "./source-secret.ts";

/** Issues a new secret; the previous one stays valid for the grace period. */
export async function rotateSecret(
  ctx: ProjectCtx,
  ref: string,
  { secret: given, grace_period_minutes = 0 }: RotateEventSourceSecret,
): Promise<EventSourceSecret> {
  refuseBoundKey(ctx.caller, "event sources are");
  return inTransaction(ctx, async (tx) => {
    const source = await lockSource(tx, ref);
    if (!source) throw notFound("event source");
    throwIssues(secretIssues({ signature: source.signature, ...(given !== undefined && { secret: given }) }));
    const secret = chooseSecret(source.signature, given);
    if (secret === null) throw invalid("path.sourceID", "is a source without a signature, so it has no secret", ref);
    const encrypted = await encryptSecret(tx, ctx.project_id, source.id, secret);
    const after = await replaceSecret(tx, source.id, encrypted, grace_period_minutes);
    const named = { resource_type: "event_source", resource_id: source.id };
    await recordAudit(tx, { action: "event_source.secret_rotated", ...named, after });
    return { secret, ...after };
  });
}

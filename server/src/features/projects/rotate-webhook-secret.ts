import type { RotateWebhookSecret, WebhookSecret } from "@millrace/contract/projects";
import { refuseBoundKey } from "../../platform/access/bound-environment.ts";
import { recordAudit } from "../../platform/audit/record-audit.ts";
import type { CallerCtx } from "../../platform/context.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { notFound } from "../../platform/errors/errors.ts";
import { newSigningSecret } from "../../platform/secrets/sign.ts";
import { lockProject, replaceWebhookSecret } from "./queries.ts";

/** Issues a new signing secret; during the grace period requests carry a signature of each. */
export async function rotateWebhookSecret(
  ctx: CallerCtx,
  ref: string,
  { grace_period_minutes = 0 }: RotateWebhookSecret,
): Promise<WebhookSecret> {
  const webhook_secret = newSigningSecret();
  refuseBoundKey(ctx.caller, "the signing secret is");
  return inTransaction(ctx, async (tx) => {
    const project = await lockProject(tx, ref);
    if (!project) throw notFound("project");
    const { id } = project;
    const encrypted = await ctx.encryption.encryptText(tx.db, id, `${id}/webhook_secret`, webhook_secret);
    const replaced = await replaceWebhookSecret(tx, id, encrypted, grace_period_minutes);
    await recordAudit(
      { ...tx, project_id: id },
      { action: "project.webhook_secret_rotated", resource_type: "project", resource_id: id, after: replaced },
    );
    return { webhook_secret, ...replaced };
  });
}

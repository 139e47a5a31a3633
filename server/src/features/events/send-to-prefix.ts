import type { EventPrefixSent, SendEventPrefix } from "@millrace/contract/events";
import { previewPrefix, sendPrefix } from "../../flow/events/send-prefix.ts";
import { requireEventKey } from "../../flow/waits/event-keys.ts";
import { readAccess } from "../../platform/access/policies/policies.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { ApiError } from "../../platform/errors/errors.ts";
import type { RouteReply } from "../../platform/route.ts";
import { presentTrigger } from "./present-trigger.ts";
import { senderOf } from "./send-to-key.ts";

type Requested = SendEventPrefix & { idempotencyKey: string | undefined };

/** Returns once every trigger that was waiting at its start is resolved. A dry run sends nothing and uses up no key. */
export async function sendToPrefix(
  ctx: ProjectCtx,
  given: string,
  { payload = null, dry_run = false, idempotencyKey }: Requested,
  reply: RouteReply,
): Promise<EventPrefixSent> {
  const prefix = requireEventKey(given, "path.prefix");
  if (dry_run) await requireReading(ctx);
  const order = { ...senderOf(ctx), prefix, payload, idempotency_key: idempotencyKey };
  const { resolved, canceled, triggers, is_replayed } = dry_run
    ? { ...(await previewPrefix(ctx, order)), is_replayed: false }
    : await sendPrefix(ctx, order);
  if (is_replayed) reply.header("Idempotent-Replayed", "true");
  return { dry_run, resolved, canceled_runs: canceled, triggers: triggers.map((row) => presentTrigger(ctx, row)) };
}

/** A dry run only lists the waiting triggers. */
async function requireReading(ctx: ProjectCtx): Promise<void> {
  const { isHeld } = await readAccess(ctx, ctx.caller, ctx.project_id, "events:read");
  if (!isHeld) throw new ApiError("scope_missing", "A dry run lists waiting triggers: it needs the scope events:read.");
}

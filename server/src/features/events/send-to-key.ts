import type {
  BufferedEvent,
  EventPrefixSent,
  EventTrigger,
  SendEvent,
  SendEventPrefix,
} from "@millrace/contract/events/events";
import { sendEvent } from "../../flow/events/send-event.ts";
import { previewPrefix, sendPrefix } from "../../flow/events/send-prefix.ts";
import type { CanceledOwner } from "../../flow/waits/consume-cancel-keys.ts";
import { requireEventKey } from "../../flow/waits/event-keys.ts";
import { tokenLimitsOf } from "../../platform/access/credentials/token-limits.ts";
import { boundEnvironment } from "../../platform/access/environments.ts";
import { readAccess } from "../../platform/access/policies/policies.ts";
import { actorOf } from "../../platform/actor.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { ApiError, notFound } from "../../platform/errors/errors.ts";
import type { RouteReply } from "../../platform/route.ts";
import { findVisibleTrigger, presentTrigger } from "./queries.ts";

type Requested = SendEvent & { idempotencyKey: string | undefined };

const MAX_SHOWN = 100;

/**
 * Returns the trigger that received the event, from this send or an earlier equal one; 202 if the event is buffered or
 * only cancels runs.
 */
export async function sendToKey(
  ctx: ProjectCtx,
  eventKey: string,
  { payload = null, buffer_secs, idempotencyKey }: Requested,
  reply: RouteReply,
): Promise<EventTrigger | BufferedEvent> {
  const event_key = requireEventKey(eventKey, "path.eventKey");
  await refuseBeyondToken(ctx, event_key, buffer_secs);
  const sent = await sendEvent(ctx, {
    ...senderOf(ctx),
    ...{ event_key, payload, buffer_secs, idempotency_key: idempotencyKey },
  });
  if (sent.is_replayed) reply.header("Idempotent-Replayed", "true");
  if (sent.canceled.length > 0) reply.header("X-Canceled-Runs", String(sent.canceled.length));
  if (sent.kind === "received" || sent.kind === "resent") return presentTrigger(ctx, sent.trigger);
  reply.status(202);
  const isBuffered = sent.kind === "buffered";
  const expires_at = sent.kind === "buffered" ? sent.expires_at : null;
  return { buffered: isBuffered, id: sent.id, expires_at, ...presentCanceled(sent.canceled) };
}

function presentCanceled(canceled: readonly CanceledOwner[]) {
  if (canceled.length === 0) return {};
  const idsOf = (kind: CanceledOwner["owner_kind"]) =>
    canceled.flatMap(({ owner_kind, owner_id }) => (owner_kind === kind ? [owner_id] : [])).slice(0, MAX_SHOWN);
  return {
    canceled_runs: canceled.length,
    canceled_run_ids: idsOf("run"),
    canceled_workflow_run_ids: idsOf("workflow_run"),
  };
}

/** A scoped token sends only to waits of its own runs, and cannot buffer events. */
async function refuseBeyondToken(ctx: ProjectCtx, event_key: string, buffer_secs?: number): Promise<void> {
  if (!tokenLimitsOf(ctx.caller)) return;
  if (buffer_secs !== undefined) throw new ApiError("forbidden", "A scoped token cannot buffer events.");
  if (!(await findVisibleTrigger(ctx, event_key))) throw notFound("event trigger");
}

/** The sender, and where it reaches waits: a bound key only in its environment. */
function senderOf({ project_id, caller }: ProjectCtx) {
  const { id: sent_by_id, name: sent_by } = actorOf(caller);
  return { project_id, sent_by, sent_by_id, environment_id: boundEnvironment(caller) };
}

type RequestedPrefix = SendEventPrefix & { idempotencyKey: string | undefined };

/** Returns once every trigger that was waiting at its start is resolved. A dry run sends nothing and uses up no key. */
export async function sendToPrefix(
  ctx: ProjectCtx,
  given: string,
  { payload = null, dry_run = false, idempotencyKey }: RequestedPrefix,
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

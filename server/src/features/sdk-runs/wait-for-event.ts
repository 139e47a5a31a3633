import type { EventTrigger } from "@millrace/contract/events/events";
import {
  DEFAULT_WAIT_SECS,
  MAX_WAIT_SECS,
  type SdkSleepBody,
  type SdkWaitBody,
} from "@millrace/contract/runs/sdk-runs";
import { requireEventKey } from "../../flow/waits/event-keys.ts";
import type { TriggerRow } from "../../flow/waits/find-trigger.ts";
import { type Sleep, sleepRun, waitForEvent as suspend } from "../../flow/waits/wait-for-event.ts";
import { callbackUrl } from "../../platform/access/credentials/callback-token.ts";
import type { RunCtx } from "../../platform/context.ts";
import { invalid } from "../../platform/errors/errors.ts";
import { checkOutgoingUrl } from "../../platform/outgoing/check-url.ts";
import type { RouteReply } from "../../platform/route.ts";
import { parseInstant } from "../../platform/time/instant.ts";

/** 201 with the trigger; 200 if the same attempt repeats the request. */
export async function waitForEvent(ctx: RunCtx, body: SdkWaitBody, reply: RouteReply): Promise<EventTrigger> {
  const { notify_url = null, timeout_secs = DEFAULT_WAIT_SECS } = body;
  const event_key = requireEventKey(body.event_key, "body.event_key");
  if (notify_url !== null) requireUrl(ctx, notify_url);
  const { trigger, is_new } = await suspend(ctx, { event_key, timeout_secs, notify_url });
  if (!is_new) reply.status(200);
  return presentWait(ctx, trigger);
}

function requireUrl({ config }: RunCtx, url: string): void {
  const checked = checkOutgoingUrl(url, config.private_endpoints);
  if (!checked.ok) throw invalid("body.notify_url", checked.reason, url);
}

/** 201 with the trigger; 200 if the same attempt repeats the request. */
export async function sleep(ctx: RunCtx, body: SdkSleepBody, reply: RouteReply): Promise<EventTrigger> {
  const { trigger, is_new } = await sleepRun(ctx, readSleep(ctx, body));
  if (!is_new) reply.status(200);
  return presentWait(ctx, trigger);
}

function readSleep(ctx: RunCtx, { secs, until }: SdkSleepBody): Sleep {
  if (secs != null && until != null) throw invalid("body.until", "cannot be given together with secs", until);
  if (secs != null) return { timeout_secs: secs, until: null };
  if (until == null) throw invalid("body.secs", "is required unless until is given", null);
  const instant = parseInstant("body.until", until);
  if (Date.parse(instant) > ctx.watch.nowMs() + MAX_WAIT_SECS * 1_000) {
    throw invalid("body.until", "must be within a year from now", until);
  }
  return { timeout_secs: null, until: instant };
}

/** The waiting run can pass its callback URL to the sender of the event. */
function presentWait(ctx: RunCtx, trigger: TriggerRow): EventTrigger {
  const { project_id, id: trigger_id, status, wait_kind } = trigger;
  const isOpen = status === "waiting" && wait_kind === "event";
  return { ...trigger, message: null, callback_url: isOpen ? callbackUrl(ctx, { project_id, trigger_id }) : null };
}

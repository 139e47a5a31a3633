import type { EventTrigger } from "@millrace/contract/events";
import { DEFAULT_WAIT_SECS, type SdkWaitBody } from "@millrace/contract/sdk-runs";
import { requireEventKey } from "../../flow/waits/event-keys.ts";
import { waitForEvent as suspend } from "../../flow/waits/wait-for-event.ts";
import type { RunCtx } from "../../platform/context.ts";
import { invalid } from "../../platform/errors/errors.ts";
import { checkOutgoingUrl } from "../../platform/outgoing/check-url.ts";
import type { RouteReply } from "../../platform/route.ts";
import { presentWait } from "./present-wait.ts";

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

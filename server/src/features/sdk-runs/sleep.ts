import type { EventTrigger } from "@millrace/contract/events";
import { MAX_WAIT_SECS, type SdkSleepBody } from "@millrace/contract/sdk-runs";
import { type Sleep, sleepRun } from "../../flow/waits/sleep-run.ts";
import type { RunCtx } from "../../platform/context.ts";
import { invalid } from "../../platform/errors/errors.ts";
import type { RouteReply } from "../../platform/route.ts";
import { parseInstant } from "../../platform/time/instant.ts";
import { presentWait } from "./present-wait.ts";

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

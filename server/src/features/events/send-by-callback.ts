import type { CallbackReceived, SendEventByCallback } from "@millrace/contract/events";
import { sendToTrigger } from "../../flow/events/send-to-trigger.ts";
import { readCallbackToken } from "../../platform/access/credentials/callback-token.ts";
import type { Ctx } from "../../platform/context.ts";
import { notFound } from "../../platform/errors/errors.ts";
import { hasProject } from "./queries.ts";

/** For senders without a key: the URL alone identifies the wait and authorizes the send. */
export async function sendByCallback(
  ctx: Ctx,
  token: string,
  { payload = null }: SendEventByCallback,
): Promise<CallbackReceived> {
  const subject = readCallbackToken(ctx, token);
  if (!subject || !(await hasProject(ctx, subject.project_id))) throw notFound("event trigger");
  const { received_at, updated_at } = await sendToTrigger(ctx, { ...subject, payload, sent_by: "callback" });
  return { received: true, received_at: received_at ?? updated_at };
}

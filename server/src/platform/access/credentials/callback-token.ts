import { createHmac, type KeyObject, timingSafeEqual } from "node:crypto";
import type { Ctx, RequestOrigin } from "../../context.ts";
import { keysFor } from "./derived-keys.ts";

/** The one trigger that a callback token may resolve. */
export type CallbackSubject = { project_id: string; trigger_id: string };

const ID_BYTES = 16;
const keysOf = keysFor("callback");
const TOKEN = /^[\w-]{86}$/; // two ids and a signature of 32 bytes

/** The address to which a third party without a key sends the event that this trigger waits for. */
export function callbackUrl(ctx: Ctx & { origin: RequestOrigin }, subject: CallbackSubject): string {
  const [key] = keysOf(ctx.config);
  if (!key) throw new Error("JWT_SIGNING_KEY is empty");
  return `${ctx.origin.base_url}/v1/events/callback/${tokenOf(key, bytesOf(subject))}`;
}

/**
 * Returns the trigger of a token, or undefined if this service did not make it. The trigger's state shows whether the
 * token was used.
 */
export function readCallbackToken(ctx: Ctx, token: string): CallbackSubject | undefined {
  if (!TOKEN.test(token)) return undefined;
  const ids = Buffer.from(token, "base64url").subarray(0, 2 * ID_BYTES);
  const given = Buffer.from(token);
  // Compared as text: several spellings decode to the same bytes, and only the canonical one is accepted.
  const isOurs = keysOf(ctx.config).some((key) => timingSafeEqual(Buffer.from(tokenOf(key, ids)), given));
  if (!isOurs) return undefined;
  return { project_id: idOf(ids.subarray(0, ID_BYTES)), trigger_id: idOf(ids.subarray(ID_BYTES)) };
}

function tokenOf(key: KeyObject, ids: Buffer): string {
  return Buffer.concat([ids, createHmac("sha256", key).update(ids).digest()]).toString("base64url");
}

function bytesOf({ project_id, trigger_id }: CallbackSubject): Buffer {
  return Buffer.from(`${project_id}${trigger_id}`.replaceAll("-", ""), "hex");
}

function idOf(bytes: Buffer): string {
  return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

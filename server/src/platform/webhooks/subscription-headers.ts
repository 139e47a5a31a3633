import type { Ctx } from "../context.ts";

type Headers = Record<string, string>;
type SubscriptionKey = { project_id: string; id: string };

export const REDACTED = "[redacted]";

/** Headers that a subscription adds to its deliveries, as stored. Null: none. */
export async function encryptSubscriptionHeaders(
  ctx: Ctx,
  key: SubscriptionKey,
  headers: Headers,
): Promise<Buffer | null> {
  if (Object.keys(headers).length === 0) return null;
  return ctx.encryption.encryptText(ctx.db, key.project_id, encryptionContextOf(key), JSON.stringify(headers));
}

export async function decryptSubscriptionHeaders(
  ctx: Ctx,
  key: SubscriptionKey,
  encrypted: Buffer | null,
): Promise<Headers> {
  if (encrypted === null) return {};
  return JSON.parse(
    await ctx.encryption.decryptText(ctx.db, key.project_id, encryptionContextOf(key), encrypted),
  ) as Headers;
}

function encryptionContextOf({ project_id, id }: SubscriptionKey): string {
  return `${project_id}/${id}/webhook-headers`;
}

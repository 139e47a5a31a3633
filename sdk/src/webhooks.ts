import { SignatureError } from "./errors.ts";
import { fromBase64, isSignedBy, joinBytes } from "./serve/hmac.ts";
import { checkTime, type SignatureOptions, verifySignature } from "./serve/verify-signature.ts";

/**
 * A webhook event. `id` is the same in every attempt, so use it to ignore duplicates.
 *
 * @example
 * const handled = new Set<string>();
 * const isRepeated = ({ id }: WebhookEvent) => handled.has(id);
 */
export type WebhookEvent<Data = Record<string, unknown>> = {
  type: string;
  id: string;
  created_at: string;
  data: Data;
  transition?: Record<string, unknown>;
};

type HeaderBag = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * Verifies and parses a webhook: it must be signed with one of the secrets, at most five minutes ago. `rawBody` is
 * the body byte for byte. Throws SignatureError otherwise.
 *
 * @example
 * const event = await verifyWebhook<{ run_id: string }>(rawBody, headers, secret);
 * console.log(event.type, event.data.run_id);
 */
export async function verifyWebhook<Data = Record<string, unknown>>(
  rawBody: string | Uint8Array,
  headers: HeaderBag,
  secret: string | readonly string[],
  options: SignatureOptions = {},
): Promise<WebhookEvent<Data>> {
  const body = typeof rawBody === "string" ? new TextEncoder().encode(rawBody) : rawBody;
  const secrets = typeof secret === "string" ? [secret] : secret;
  const read = (name: string) => headerOf(headers, name);
  if (read("webhook-signature") !== undefined) await verifyStandard(secrets, read, body, options);
  else {
    const [timestamp, signature] = [read("x-svc-timestamp"), read("x-svc-signature")];
    await verifySignature(secrets, { timestamp, signature, body }, options);
  }
  return JSON.parse(new TextDecoder().decode(body));
}

/** Standard Webhooks: `v1,<base64>` over `<id>.<timestamp>.<body>`, several during rotation. */
async function verifyStandard(
  secrets: readonly string[],
  read: (name: string) => string | undefined,
  body: Uint8Array,
  options: SignatureOptions,
): Promise<void> {
  const [id, timestamp, signature] = [read("webhook-id"), read("webhook-timestamp"), read("webhook-signature")];
  if (!id || !timestamp || !signature) throw new SignatureError("missing", "Some of the webhook- headers are missing.");
  checkTime(timestamp, options);
  const given = signature.split(" ").flatMap((part) => {
    const [version, text = ""] = part.split(",");
    return version === "v1" ? (fromBase64(text) ?? []) : [];
  });
  if (given.length === 0) throw new SignatureError("malformed", "webhook-signature is not v1,<base64>.");
  if (await isSignedBy(secrets, given, joinBytes(`${id}.${timestamp}.`, body))) return;
  throw new SignatureError(
    "mismatch",
    "The signature does not match the body: the secret differs, or the body was changed.",
  );
}

function headerOf(headers: HeaderBag, name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined;
  const [, value] = Object.entries(headers).find(([key]) => key.toLowerCase() === name) ?? [];
  return typeof value === "string" ? value : value?.[0];
}

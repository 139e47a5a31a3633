import { createHmac, createSecretKey, type KeyObject, randomBytes } from "node:crypto";
import { LRUCache } from "lru-cache";

/** A project's signing secret, in the spelling of Standard Webhooks. */
export function newSigningSecret(): string {
  return SECRET_PREFIX + randomBytes(SECRET_BYTES).toString("base64");
}

export type Signing = {
  /** Newest first; two while a secret rotates. */
  secrets: string[];
  /** The bytes that are sent. */
  body: string | Buffer;
  timestampSecs: number;
  /** Given for deliveries: adds the Standard Webhooks headers. Stable over attempts. */
  deliveryId?: string;
};

/** The headers that prove where a request comes from. */
export function signatureHeaders(signing: Signing): Record<string, string> {
  const [newest, ...older] = signing.secrets.map(decodeSecret);
  if (newest === undefined) throw new Error("A request cannot be signed without a secret.");

  const { body, timestampSecs, deliveryId } = signing;
  const keys = [newest, ...older];
  const headers = {
    "X-Svc-Timestamp": String(timestampSecs),
    "X-Svc-Signature": keys.map((key) => `v1=${hmac(key, `${timestampSecs}.`, body).toString("hex")}`).join(","),
    "X-Webhook-Signature": `sha256=${hmac(newest, "", body).toString("hex")}`,
  };
  if (deliveryId === undefined) return headers;

  const signed = keys.map((key) => `v1,${hmac(key, `${deliveryId}.${timestampSecs}.`, body).toString("base64")}`);
  return {
    ...headers,
    "webhook-id": deliveryId,
    "webhook-timestamp": String(timestampSecs),
    "webhook-signature": signed.join(" "),
  };
}

const SECRET_PREFIX = "whsec_";
const SECRET_BYTES = 32;

/** Every dispatch is signed with the same few secrets: preparing one costs as much as signing with it. */
const keys = new LRUCache<string, KeyObject>({ max: 1_000 });

function decodeSecret(secret: string): KeyObject {
  const known = keys.get(secret);
  if (known) return known;
  const bytes = Buffer.from(secret.slice(SECRET_PREFIX.length), "base64");
  if (!secret.startsWith(SECRET_PREFIX) || bytes.length !== SECRET_BYTES) {
    throw new Error("A signing secret is whsec_ and the base64 of 32 bytes.");
  }
  const key = createSecretKey(bytes);
  keys.set(secret, key);
  return key;
}

function hmac(key: KeyObject, prefix: string, body: string | Buffer): Buffer {
  return createHmac("sha256", key).update(prefix).update(body).digest();
}

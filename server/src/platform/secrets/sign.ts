import { randomBytes } from "node:crypto";
import { LRUCache } from "lru-cache";
import { type HmacKey, hmacKey, hmacOf } from "./hmac.ts";

/** A project's signing secret, in the format of Standard Webhooks. */
export function newSigningSecret(): string {
  return SECRET_PREFIX + randomBytes(SECRET_BYTES).toString("base64");
}

export type Signing = {
  /** Newest first; two during rotation. */
  secrets: string[];
  /** The bytes on the wire. */
  body: string | Buffer;
  timestampSecs: number;
  /** Set for deliveries: adds the Standard Webhooks headers. Stable over attempts. */
  deliveryId?: string;
};

/** The headers that authenticate a request's sender. */
export function signatureHeaders(signing: Signing): Record<string, string> {
  const keys = signing.secrets.map(decodeSecret);
  const [newest] = keys;
  if (newest === undefined) throw new Error("A request cannot be signed without a secret.");

  const { timestampSecs, deliveryId } = signing;
  const body = typeof signing.body === "string" ? Buffer.from(signing.body) : signing.body;
  const headers = {
    "X-Svc-Timestamp": String(timestampSecs),
    "X-Svc-Signature": keys.map((key) => `v1=${hmacOf(key, `${timestampSecs}.`, body, "hex")}`).join(","),
    "X-Webhook-Signature": `sha256=${hmacOf(newest, "", body, "hex")}`,
  };
  if (deliveryId === undefined) return headers;

  const signed = keys.map((key) => `v1,${hmacOf(key, `${deliveryId}.${timestampSecs}.`, body, "base64")}`);
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
const keys = new LRUCache<string, HmacKey>({ max: 1_000 });

function decodeSecret(secret: string): HmacKey {
  const known = keys.get(secret);
  if (known) return known;
  const bytes = Buffer.from(secret.slice(SECRET_PREFIX.length), "base64");
  if (!secret.startsWith(SECRET_PREFIX) || bytes.length !== SECRET_BYTES) {
    throw new Error("A signing secret is whsec_ and the base64 of 32 bytes.");
  }
  const key = hmacKey(bytes);
  keys.set(secret, key);
  return key;
}

import { createHmac, hash } from "node:crypto";

/** A secret, prepared: its two pads, each one block of SHA-256. */
export type HmacKey = { inner: Buffer; outer: Buffer };

const BLOCK_BYTES = 64;
const DIGEST_BYTES = 32;
const MAX_COPIED_BYTES = 16 * 1_024;

/**
 * HMAC-SHA256 (RFC 2104) as two one-shot hashes. Every dispatch is signed three times, and creating an Hmac object for
 * each costs more than the hashing: 6.4 → 2.6 µs for 600 bytes.
 */
export function hmacOf(
  key: HmacKey,
  prefix: string,
  message: string | Buffer,
  encoding: "hex" | "base64" | "base64url",
): string {
  const bytes = typeof message === "string" ? Buffer.from(message) : message;
  // Above this size copying costs more than the object; a prefix is ASCII and short.
  if (bytes.length > MAX_COPIED_BYTES) return byObject(key, prefix, bytes, encoding);
  key.inner.copy(innerBlock);
  const start = BLOCK_BYTES + innerBlock.write(prefix, BLOCK_BYTES, "latin1");
  bytes.copy(innerBlock, start);
  key.outer.copy(outerBlock);
  outerBlock.write(hash("sha256", innerBlock.subarray(0, start + bytes.length), "binary"), BLOCK_BYTES, "latin1");
  return hash("sha256", outerBlock, encoding);
}

/** Filled and hashed within one synchronous call. */
const innerBlock = Buffer.allocUnsafeSlow(BLOCK_BYTES + MAX_COPIED_BYTES + 1_024);
const outerBlock = Buffer.allocUnsafeSlow(BLOCK_BYTES + DIGEST_BYTES);

/** Secrets of up to 64 bytes: ours have 32. */
export function hmacKey(secret: Buffer): HmacKey {
  if (secret.length > BLOCK_BYTES) throw new Error("A secret has at most 64 bytes.");
  return { inner: padded(secret, 0x36), outer: padded(secret, 0x5c) };
}

function padded(secret: Buffer, pad: number): Buffer {
  const block = Buffer.alloc(BLOCK_BYTES, pad);
  for (const [at, byte] of secret.entries()) block[at] = byte ^ pad;
  return block;
}

function byObject({ inner }: HmacKey, prefix: string, bytes: Buffer, encoding: "hex" | "base64" | "base64url"): string {
  // HMAC itself pads a short secret with zeros.
  const secret = inner.map((byte) => byte ^ 0x36);
  return createHmac("sha256", secret).update(prefix, "latin1").update(bytes).digest(encoding);
}

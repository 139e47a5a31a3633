import { Buffer } from "node:buffer";
import { createHmac, timingSafeEqual } from "node:crypto";

export type CursorValues = readonly (string | number | null)[];

/**
 * Creates the opaque cursor of a page's end. `binding` is project, route and filters: the cursor is valid only for
 * them. Throws when the values are too long for decodeCursor.
 */
export function encodeCursor(secret: Buffer, binding: string, values: CursorValues): string {
  const content = Buffer.from(JSON.stringify(values));
  const text = Buffer.concat([sign(secret, binding, content), content]).toString("base64url");
  if (text.length > MAX_LENGTH) throw new Error(`A cursor of ${text.length} characters is longer than ${MAX_LENGTH}.`);
  return text;
}

/** Returns the values of a cursor, or undefined if encodeCursor did not make it for this binding. Never throws. */
export function decodeCursor(secret: Buffer, binding: string, text: string): CursorValues | undefined {
  if (text.length > MAX_LENGTH || !BASE64URL.test(text)) return undefined;
  const decoded = Buffer.from(text, "base64url");
  // Decoding ignores spare bits in the last character: only the canonical spelling is accepted.
  if (decoded.length <= MAC_BYTES || decoded.toString("base64url") !== text) return undefined;

  const content = decoded.subarray(MAC_BYTES);
  if (!timingSafeEqual(decoded.subarray(0, MAC_BYTES), sign(secret, binding, content))) return undefined;
  return JSON.parse(content.toString("utf8")) as CursorValues;
}

const MAC_BYTES = 16;
const MAX_LENGTH = 1024;
const BASE64URL = /^[A-Za-z0-9_-]+$/;

// The length prefix separates (binding, content) pairs whose concatenation is the same.
function sign(secret: Buffer, binding: string, content: Buffer): Buffer {
  return createHmac("sha256", secret)
    .update(`${Buffer.byteLength(binding)}:${binding}`)
    .update(content)
    .digest()
    .subarray(0, MAC_BYTES);
}

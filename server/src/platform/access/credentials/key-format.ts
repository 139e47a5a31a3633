import type { Buffer } from "node:buffer";
import { hash, randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";

/** `svc_` + 34 random base62 characters (202 bits) + 6 of checksum, so that secret scanners can find leaks. */
export function newKey(): string {
  const random = randomBase62(RANDOM_LENGTH);
  return `${PREFIX}${random}${checksum(random)}`;
}

/** True for anything newKey could have made: junk is rejected before it costs a query. */
export function isWellFormedKey(text: string): boolean {
  if (recent.hashes.has(text)) return true;
  if (!SHAPE.test(text)) return false;
  const random = text.slice(PREFIX.length, PREFIX.length + RANDOM_LENGTH);
  return text.endsWith(checksum(random));
}

/** The part of a key that may be shown and stored: 8 random characters distinguish keys and reveal nothing. */
export function keyPrefix(key: string): string {
  return key.slice(0, 12);
}

/** The stored form. Plain SHA-256 is enough for 202 random bits: there is no dictionary to try. */
export function hashKey(key: string): Buffer {
  const nowMs = performance.now();
  if (nowMs > recent.until_ms) recent = { hashes: new Map(), until_ms: nowMs + REMEMBERED_MS };
  const known = recent.hashes.get(key);
  if (known) return known;
  const made = hash("sha256", key, "buffer");
  if (recent.hashes.size < MAX_REMEMBERED && isWellFormedKey(key)) recent.hashes.set(key, made);
  return made;
}

/** Hashes and checksum results of recently used keys: a busy key is not hashed and checked at each request. */
let recent = { hashes: new Map<string, Buffer>(), until_ms: 0 };
const REMEMBERED_MS = 10_000;
const MAX_REMEMBERED = 1_000;

const PREFIX = "svc_";
const RANDOM_LENGTH = 34;
const CHECKSUM_LENGTH = 6;
const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const SHAPE = /^svc_[0-9A-Za-z]{40}$/;
// 248 = 4 × 62: bytes from there on would favor the first letters of the alphabet.
const FAIR_BYTES = 248;

function randomBase62(length: number): string {
  let text = "";
  while (text.length < length) {
    for (const byte of randomBytes(length)) {
      if (byte < FAIR_BYTES && text.length < length) text += ALPHABET.charAt(byte % ALPHABET.length);
    }
  }
  return text;
}

function checksum(random: string): string {
  let rest = crc32(random);
  let text = "";
  for (let i = 0; i < CHECKSUM_LENGTH; i++) {
    text = ALPHABET.charAt(rest % ALPHABET.length) + text;
    rest = Math.floor(rest / ALPHABET.length);
  }
  return text;
}

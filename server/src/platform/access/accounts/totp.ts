import { createHmac, timingSafeEqual } from "node:crypto";

const STEP_SECS = 30;
/** A code is accepted one step early or late: clocks differ, and typing takes time. */
const WINDOW = 1;
const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** The code of a time step (RFC 6238, with SHA-1, which all authenticator apps support). */
export function totpAt(secret: Buffer, step: number, digits = 6): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const hmac = createHmac("sha1", secret).update(counter).digest();
  const offset = (hmac.at(-1) ?? 0) & 15;
  const number = hmac.readUInt32BE(offset) & 0x7fff_ffff;
  return String(number % 10 ** digits).padStart(digits, "0");
}

/** The time step whose code was given, if it is near and later than the last one that was accepted. */
export function findTotpStep(secret: Buffer, given: string, nowMs: number, last: number | null): number | undefined {
  const now = Math.floor(nowMs / 1_000 / STEP_SECS);
  const code = given.replaceAll(" ", "");
  if (!/^\d{6}$/.test(code)) return undefined;
  let found: number | undefined;
  for (let step = now - WINDOW; step <= now + WINDOW; step++) {
    const isSame = timingSafeEqual(Buffer.from(totpAt(secret, step)), Buffer.from(code));
    if (isSame && step > (last ?? 0)) found ??= step;
  }
  return found;
}

/** RFC 4648, without padding, as authenticator apps expect it. */
export function toBase32(bytes: Buffer): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, "0")).join("");
  return (bits.match(/.{1,5}/g) ?? []).map((part) => ALPHABET[Number.parseInt(part.padEnd(5, "0"), 2)]).join("");
}

export function fromBase32(text: string): Buffer {
  const bits = [...text.toUpperCase()].map((letter) => ALPHABET.indexOf(letter).toString(2).padStart(5, "0")).join("");
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}

import { createHmac, timingSafeEqual } from "node:crypto";
import type { EventSource } from "@millrace/contract/events/event-sources";
import type { SignedRequest } from "../../../platform/route.ts";

const REPLAY_WINDOW_SECS = 300;

/** The bytes that the signature covers, and the given signatures. `at`: the signed time, if the scheme has one. */
type Claim = { signed: Buffer; given: string[]; at: number | null };

/** Returns the signed bytes. Undefined: no secret matches, or the signed time is outside the window. */
export function verifySignature(
  signature: EventSource["signature"],
  secrets: readonly string[],
  request: SignedRequest,
  now_secs: number,
): Buffer | undefined {
  const claim = readClaim(signature, request);
  if (!claim) return undefined;
  if (claim.at !== null && Math.abs(now_secs - claim.at) > REPLAY_WINDOW_SECS) return undefined;
  const given = claim.given.filter((hex) => /^[0-9a-f]{64}$/i.test(hex)).map((hex) => Buffer.from(hex, "hex"));
  const expected = secrets.map((secret) =>
    createHmac("sha256", keyOf(signature, secret)).update(claim.signed).digest(),
  );
  return given.some((one) => expected.some((other) => timingSafeEqual(one, other))) ? claim.signed : undefined;
}

function readClaim(signature: EventSource["signature"], request: SignedRequest): Claim | undefined {
  switch (signature) {
    case "hmac":
      return readOwn(request);
    case "github":
      return readGithub(request);
    case "stripe":
      return readStripe(request);
    case "none":
      return undefined;
  }
}

/** The scheme of this service's own requests: `v1=<hex>` of `<timestamp>.<body>`, several while a secret rotates. */
function readOwn({ headers, body }: SignedRequest): Claim | undefined {
  const timestamp = headerOf(headers, "x-svc-timestamp");
  if (timestamp === undefined || !SECS.test(timestamp)) return undefined;
  const given = partsOf(headerOf(headers, "x-svc-signature")).flatMap(([name, value]) =>
    name === "v1" ? [value] : [],
  );
  return { signed: timed(timestamp, body), given, at: Number(timestamp) };
}

/** No time is signed: deduplication by the delivery id and the signed bytes prevents replays. */
function readGithub({ headers, body }: SignedRequest): Claim {
  const parts = partsOf(headerOf(headers, "x-hub-signature-256"));
  return { signed: body, given: parts.flatMap(([name, value]) => (name === "sha256" ? [value] : [])), at: null };
}

/** `t=<timestamp>,v1=<hex>,v1=<hex>`; other schemes in the header are ignored. */
function readStripe({ headers, body }: SignedRequest): Claim | undefined {
  const parts = partsOf(headerOf(headers, "stripe-signature"));
  const timestamp = parts.find(([name]) => name === "t")?.[1];
  if (timestamp === undefined || !SECS.test(timestamp)) return undefined;
  const given = parts.flatMap(([name, value]) => (name === "v1" ? [value] : []));
  return { signed: timed(timestamp, body), given, at: Number(timestamp) };
}

const SECS = /^\d{1,12}$/;

function timed(timestamp: string, body: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${timestamp}.`), body]);
}

function partsOf(header: string | undefined): [string, string][] {
  return (header ?? "").split(",").map((part) => {
    const at = part.indexOf("=");
    return at < 0 ? ["", ""] : [part.slice(0, at).trim(), part.slice(at + 1).trim()];
  });
}

/**
 * Our own secrets are the decoded bytes after `whsec_`; third-party secrets are used as text, including Stripe's
 * prefix.
 */
function keyOf(signature: EventSource["signature"], secret: string): Buffer {
  const bytes = Buffer.from(secret.slice(PREFIX.length), "base64");
  const isOwn = signature === "hmac" && secret.startsWith(PREFIX) && bytes.length === OWN_BYTES;
  return isOwn ? bytes : Buffer.from(secret);
}

const PREFIX = "whsec_";
const OWN_BYTES = 32;

export function headerOf(headers: SignedRequest["headers"], name: string): string | undefined {
  const value = headers[name];
  return typeof value === "string" ? value : undefined;
}

import { createHmac, timingSafeEqual } from "node:crypto";
import type { EventSource } from "@millrace/contract/event-sources";
import type { SignedRequest } from "../../platform/route.ts";

const REPLAY_WINDOW_SECS = 300;

/** What the signature covers, and what was given as one. `at`: the time that was signed, where the scheme has one. */
type Claim = { signed: Buffer; given: string[]; at: number | null };

/** Answers the bytes that were signed. Undefined: the request is not signed with one of the secrets, or not now. */
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

/** As this service signs its own requests: `v1=<hex>` of `<timestamp>.<body>`, several while a secret rotates. */
function readOwn({ headers, body }: SignedRequest): Claim | undefined {
  const timestamp = headerOf(headers, "x-svc-timestamp");
  if (timestamp === undefined || !SECS.test(timestamp)) return undefined;
  const given = partsOf(headerOf(headers, "x-svc-signature")).flatMap(([name, value]) =>
    name === "v1" ? [value] : [],
  );
  return { signed: timed(timestamp, body), given, at: Number(timestamp) };
}

/** No time is signed: what keeps a delivery from being taken twice is its id. */
function readGithub({ headers, body }: SignedRequest): Claim {
  const parts = partsOf(headerOf(headers, "x-hub-signature-256"));
  return { signed: body, given: parts.flatMap(([name, value]) => (name === "sha256" ? [value] : [])), at: null };
}

/** `t=<timestamp>,v1=<hex>,v1=<hex>`; other schemes beside it are not looked at. */
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

/** Our own secrets are the bytes behind `whsec_`; those of others are the text as it is, Stripe's prefix included. */
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

import { SignatureError } from "../errors.ts";
import { fromHex, isSignedBy, joinBytes, signWith, toHex } from "./hmac.ts";

export type SignatureOptions = {
  /** Maximum difference between the timestamp and now, in seconds. Default: 300. */
  toleranceSecs?: number;
  /** Unix time in seconds, for tests. */
  nowSecs?: number;
};

type Signed = { timestamp: string | undefined; signature: string | undefined; body: Uint8Array };

/** Throws SignatureError unless the body was recently signed with one of the secrets. */
export async function verifySignature(
  secrets: readonly string[],
  { timestamp, signature, body }: Signed,
  options: SignatureOptions = {},
): Promise<void> {
  if (!timestamp || !signature) throw new SignatureError("missing", "X-Svc-Timestamp or X-Svc-Signature is missing.");
  checkTime(timestamp, options);
  const given = signature.split(",").flatMap((part) => {
    const [, hex = ""] = /^\s*v1=([0-9a-fA-F]{64})\s*$/.exec(part) ?? [];
    return fromHex(hex) ?? [];
  });
  if (given.length === 0)
    throw new SignatureError("malformed", "X-Svc-Signature is not v1= followed by 64 hex digits.");
  if (await isSignedBy(secrets, given, joinBytes(`${timestamp}.`, body))) return;
  throw new SignatureError(
    "mismatch",
    "The signature does not match the body: the secret differs, or the body was changed.",
  );
}

export function checkTime(
  timestamp: string,
  { toleranceSecs = 300, nowSecs = Date.now() / 1_000 }: SignatureOptions,
): void {
  if (!/^\d{1,12}$/.test(timestamp)) throw new SignatureError("malformed", "The timestamp is not a number of seconds.");
  const age = nowSecs - Number(timestamp);
  if (age > toleranceSecs) throw new SignatureError("too_old", `The request was signed ${Math.round(age)} s ago.`);
  if (age < -toleranceSecs)
    throw new SignatureError("too_new", `The request was signed ${Math.round(-age)} s in the future.`);
}

/** The headers of a request, signed as the service signs it. */
export async function signRequest(
  secret: string,
  body = "",
  nowSecs = Date.now() / 1_000,
): Promise<Record<string, string>> {
  const timestamp = String(Math.floor(nowSecs));
  const signature = await signWith(secret, joinBytes(`${timestamp}.`, new TextEncoder().encode(body)));
  return { "x-svc-timestamp": timestamp, "x-svc-signature": `v1=${toHex(signature)}` };
}

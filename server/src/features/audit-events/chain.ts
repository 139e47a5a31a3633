import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign, verify } from "node:crypto";
import { writeCanonicalJson } from "../../platform/json/canonical-json.ts";
import type { Config } from "../../platform/settings/config.ts";

/** The sealed content of an event: every recorded field. Its number in the chain is hashed with it. */
export type ChainedEvent = {
  project_id: string;
  id: string;
  actor_kind: string;
  actor_id: string | null;
  actor_name: string | null;
  action: string;
  resource_type: string;
  resource_id: string;
  before: unknown;
  after: unknown;
  ip: string | null;
  user_agent: string | null;
  request_id: string | null;
  created_at: string;
};

/** The same with `before` and `after` as JSON text, as read from the database. */
export type StoredEvent = Omit<ChainedEvent, "before" | "after"> & { before: string | null; after: string | null };

/** The hash before the first event. */
export const NO_HASH = Buffer.alloc(32);

/**
 * The hash of an event: over the previous hash and the canonical JSON of the event with its number. For `inSlices`: a
 * workflow before and after a change has up to 100,000 values.
 */
export function* chainHash(previous: Buffer, chain_no: number, event: ChainedEvent): Generator<void, Buffer> {
  const { project_id, id, actor_kind, actor_id, actor_name, action, resource_type, resource_id } = event;
  const { before, after, ip, user_agent, request_id, created_at } = event;
  const what = { project_id, id, actor_kind, actor_id, actor_name, action, resource_type, resource_id };
  const text = yield* writeCanonicalJson({ chain_no, ...what, before, after, ip, user_agent, request_id, created_at });
  return createHash("sha256").update(previous).update(text).digest();
}

/** The same for a stored event, whose JSON texts are parsed one at a time. */
export function* storedHash(previous: Buffer, chain_no: number, event: StoredEvent): Generator<void, Buffer> {
  const before = event.before === null ? null : JSON.parse(event.before);
  yield;
  const after = event.after === null ? null : JSON.parse(event.after);
  yield;
  return yield* chainHash(previous, chain_no, { ...event, before, after });
}

type Position = { project_id: string; no: number; hash: Buffer };

const PKCS8_OF_A_SEED = Buffer.from("302e020100300506032b657004220420", "hex");

/** Signs with a key pair derived from JWT_SIGNING_KEY: with the public key, anyone can verify an export offline. */
export function signHead({ jwt_signing_keys: [newest] }: Config, what: "head" | "start", position: Position): Buffer {
  return sign(null, textOf(what, position), keyPair(newest ?? "").privateKey);
}

/** True if any value of JWT_SIGNING_KEY matches: there are several during a rotation. */
export function isSignedHead(config: Config, what: "head" | "start", position: Position, signature: Buffer): boolean {
  return config.jwt_signing_keys.some((key) =>
    verify(null, textOf(what, position), createPublicKey(keyPair(key).privateKey), signature),
  );
}

export function publicKeyOf({ jwt_signing_keys: [newest] }: Config): string {
  return keyPair(newest ?? "").publicKey;
}

function textOf(what: string, { project_id, no, hash }: Position): Buffer {
  return Buffer.from(`millrace audit ${what}\n${project_id}\n${no}\n${hash.toString("hex")}`);
}

const pairs = new Map<string, { privateKey: KeyObject; publicKey: string }>();

function keyPair(signingKey: string) {
  const known = pairs.get(signingKey);
  if (known) return known;
  const seed = createHash("sha256").update(`millrace audit ${signingKey}`).digest();
  const privateKey = createPrivateKey({ key: Buffer.concat([PKCS8_OF_A_SEED, seed]), format: "der", type: "pkcs8" });
  const { x = "" } = createPublicKey(privateKey).export({ format: "jwk" });
  const pair = { privateKey, publicKey: Buffer.from(x, "base64url").toString("base64") };
  pairs.set(signingKey, pair);
  return pair;
}

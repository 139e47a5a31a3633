import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign, verify } from "node:crypto";
import type { Config } from "../../platform/settings/config.ts";

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

import { createHash, createSecretKey, type KeyObject } from "node:crypto";
import type { Config } from "../../settings/config.ts";

/**
 * Keys for one purpose, one per value of JWT_SIGNING_KEY: the first signs, all verify. Derived once per configuration,
 * since they sign thousands of times a second.
 */
export function keysFor(purpose: string): (config: Config) => KeyObject[] {
  const derived = new WeakMap<readonly string[], KeyObject[]>();
  return ({ jwt_signing_keys }) => {
    const known = derived.get(jwt_signing_keys);
    if (known) return known;
    const keys = jwt_signing_keys.map((key) =>
      createSecretKey(createHash("sha256").update(`millrace ${purpose} ${key}`).digest()),
    );
    derived.set(jwt_signing_keys, keys);
    return keys;
  };
}

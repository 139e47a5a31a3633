import { type CryptoKey, importJWK, type JWK } from "jose";
import keys from "../data/rsa-keys.json" with { type: "json" };

/** Creating an RSA key takes up to a second of CPU, so tests share a few. Which are in use at once has its own ones. */
export const ISSUER_KEYS = [0, 1] as const;
export const FOREIGN_KEY = 2;
export const PROVIDER_KEYS = [
  [3, 4],
  [5, 6],
] as const;

export type RsaKey = { privateKey: CryptoKey; privateJwk: JWK; publicJwk: JWK };

export async function rsaKey(nth: number): Promise<RsaKey> {
  const privateJwk: JWK | undefined = keys[nth];
  if (!privateJwk) throw new Error(`there are ${keys.length} keys, not ${nth + 1}`);
  const privateKey = (await importJWK(privateJwk, "RS256")) as CryptoKey;
  const { kty, n, e } = privateJwk as Required<JWK>;
  return { privateKey, privateJwk, publicJwk: { kty, n, e } };
}

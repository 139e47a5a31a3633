import { SignatureError } from "../errors.ts";

/** Whether one of the signatures was made with one of the secrets. WebCrypto compares in constant time. */
export async function isSignedBy(
  secrets: readonly string[],
  signatures: readonly Uint8Array<ArrayBuffer>[],
  signed: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  let found = false;
  for (const secret of secrets) {
    const key = await importKey(secret, "verify");
    // Compares all of them, so that timing does not reveal which one matches.
    for (const signature of signatures) if (await crypto.subtle.verify("HMAC", key, signature, signed)) found = true;
  }
  return found;
}

export async function signWith(secret: string, signed: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await crypto.subtle.sign("HMAC", await importKey(secret, "sign"), signed));
}

/** The key is the base64-decoded part after `whsec_`. */
function importKey(secret: string, use: "sign" | "verify") {
  const bytes = secret.startsWith("whsec_") ? fromBase64(secret.slice("whsec_".length)) : undefined;
  if (!bytes || bytes.length < 16)
    throw new SignatureError("bad_secret", "A signing secret has the form whsec_<base64>.");
  return crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, [use]);
}

export function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text)) return undefined;
  try {
    return Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
  } catch {
    return undefined;
  }
}

export function fromHex(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (!/^(?:[0-9a-fA-F]{2})+$/.test(text)) return undefined;
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}

export function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** `<prefix><body>` as bytes. */
export function joinBytes(prefix: string, body: Uint8Array): Uint8Array<ArrayBuffer> {
  const head = new TextEncoder().encode(prefix);
  const joined = new Uint8Array(head.length + body.length);
  joined.set(head);
  joined.set(body, head.length);
  return joined;
}

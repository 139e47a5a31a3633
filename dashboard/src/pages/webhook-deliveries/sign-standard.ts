/** A Standard Webhooks signature with a `whsec_…` secret. Web Crypto needs HTTPS or localhost. */
export async function signStandard(secret: string, text: string): Promise<{ signature: string } | { error: string }> {
  if (!globalThis.crypto?.subtle) return { error: "Browsers compute signatures only over HTTPS or on localhost." };
  const bytes = bytesOf(secret.replace(/^whsec_/, ""));
  if (!secret.startsWith("whsec_") || bytes === undefined)
    return { error: "A secret starts with whsec_ followed by base64." };
  const key = await crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  const signed = await crypto.subtle.sign("HMAC", key, new TextEncoder().encode(text));
  return { signature: `v1,${btoa(String.fromCharCode(...new Uint8Array(signed)))}` };
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
    return bytes.length === 0 ? undefined : bytes;
  } catch {
    return undefined;
  }
}

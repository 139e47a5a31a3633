import { readManifest as ask, type Manifest } from "@millrace/sdk";

export type ManifestResult =
  | { kind: "manifest"; manifest: Manifest }
  | { kind: "refused"; status: number }
  | { kind: "other"; status: number }
  | { kind: "unreachable"; reason: string };

const TIMEOUT_MS = 5_000;

/** Reads the manifest of an endpoint with a signed request, and tells failures apart. */
export async function readManifest(url: string, signingSecret: string): Promise<ManifestResult> {
  let status: number | undefined;
  const recordStatus: typeof fetch = async (input, init) => {
    const response = await fetch(input, { ...init, redirect: "manual", signal: AbortSignal.timeout(TIMEOUT_MS) });
    status = response.status;
    return response;
  };
  try {
    return { kind: "manifest", manifest: await ask(url, signingSecret, recordStatus) };
  } catch (error) {
    if (status === 401 || status === 403) return { kind: "refused", status };
    if (status !== undefined) return { kind: "other", status };
    const { cause, message } = error as { cause?: { code?: string }; message: string };
    return { kind: "unreachable", reason: cause?.code ?? message };
  }
}

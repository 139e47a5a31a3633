import type { Client } from "../../world/client.ts";
import { listOf } from "./hostile-values.ts";

export type Hostile = { api: Client; endpoint: string; n: () => number };
/** Prepares an attack, and returns the requests that carry it out. */
export type Attack = (hostile: Hostile) => Promise<() => Promise<unknown>>;

export const ok = (response: { status: number; text: string; body: Record<string, string> }) => {
  if (response.status >= 300) throw new Error(`${response.status} ${response.text.slice(0, 300)}`);
  return response.body;
};

export async function makeJob({ api, endpoint, n }: Hostile, fields: object = {}): Promise<string> {
  const { id } = ok(
    await api.post("/v1/jobs", { name: `Job ${n()}`, endpoint_url: endpoint, max_attempts: 1, ...fields }),
  );
  return id ?? "";
}

export async function ended(api: Client, path: string): Promise<void> {
  for (let tries = 0; tries < 600; tries++) {
    const { body } = await api.get(path);
    if (["completed", "failed", "timed_out", "canceled"].includes(body?.status)) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`${path} did not end`);
}

export const orOf = (part: (i: number) => string, count: number) => listOf(count, part).join(" || ");

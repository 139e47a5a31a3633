import { setTimeout as pause } from "node:timers/promises";
import type { Instances } from "../../harness/instances.ts";

type Answer = { status: number; retryAfter: string | null; text: string };
type Probed = Answer & { url: string; kind: "write" | "ready"; at: number; ms: number };

export type Probe = {
  answers: Probed[];
  /** The delay that a busy machine adds: as much as it adds to a request that needs no database. */
  delayMs: () => number;
  stop: () => Promise<void>;
};

const EVERY_MS = 50;
const GIVE_UP_MS = 20_000;

/** Asks every instance for its readiness and for one trigger, again and again. Status 0: no response. */
export function probeInstances({ urls }: Instances, key: string, job: string): Probe {
  const answers: Probed[] = [];
  let longestMs = 0;
  let isOver = false;

  async function ask(url: string, kind: Probed["kind"]): Promise<void> {
    while (!isOver) {
      const at = performance.now();
      const answer = await (kind === "ready" ? get(`${url}/health/ready`) : trigger(url, key, job));
      answers.push({ ...answer, url, kind, at, ms: performance.now() - at });
      await pause(EVERY_MS);
    }
  }

  async function watchDelays(url: string): Promise<void> {
    while (!isOver) {
      const at = performance.now();
      await get(`${url}/health`);
      longestMs = Math.max(longestMs, performance.now() - at);
      await pause(EVERY_MS);
    }
  }

  const all = urls().flatMap((url) => [ask(url, "ready"), ask(url, "write"), watchDelays(url)]);
  return {
    answers,
    delayMs: () => 2 * longestMs, // once where it is noticed, once where it is returned
    stop: async () => {
      isOver = true;
      await Promise.all(all);
    },
  };
}

function trigger(url: string, key: string, job: string) {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  return get(`${url}/v1/jobs/${job}/trigger`, { method: "POST", headers, body: '{"payload":{}}' });
}

async function get(url: string, options: RequestInit = {}): Promise<Answer> {
  const signal = AbortSignal.timeout(GIVE_UP_MS);
  const response = await fetch(url, { ...options, signal }).catch(() => undefined);
  const text = (await response?.text().catch(() => undefined)) ?? "";
  return { status: response?.status ?? 0, retryAfter: response?.headers.get("retry-after") ?? null, text };
}

import { setTimeout as pause } from "node:timers/promises";
import type { ProjectClient } from "../../harness/client.ts";
import type { Kind } from "./jobs.ts";

export type Load = { acknowledged: number; requests: number; answered: number; done: Promise<void> };

type Plan = { runs: number; perCall: number; everyMs: number; keys: number };

/** Triggers runs of two jobs, the second with keys, at a steady rate: in bulk, at any instance that is up. */
export function startLoad(
  { call }: ProjectClient,
  { jobs: [free, keyed], random }: { jobs: [string, string]; random: () => number },
  { runs, perCall, everyMs, keys }: Plan,
): Load {
  const load: Load = { acknowledged: 0, requests: 0, answered: 0, done: Promise.resolve() };

  function item(isKeyed: boolean) {
    const dice = random();
    const kind: Kind = dice < 0.55 ? "quick" : dice < 0.7 ? "flaky" : dice < 0.86 ? "accepted" : "slow";
    if (!isKeyed) return { payload: { kind } };
    // A key whose slots dead instances hold for half a minute must be able to catch up afterwards.
    const concurrency_key = `key-${Math.floor(random() * keys)}`;
    return { payload: { kind: kind === "slow" && random() < 0.8 ? "quick" : kind }, concurrency_key };
  }

  async function trigger(): Promise<void> {
    load.requests++;
    const isKeyed = random() < 0.5;
    const items = Array.from({ length: perCall }, () => item(isKeyed));
    const response = await call("POST", `/v1/jobs/${isKeyed ? keyed : free}/trigger/bulk`, { items });
    if (!response || response.status >= 300) return;
    load.answered++;
    load.acknowledged += response.body.results.length;
  }

  load.done = (async () => {
    while (load.acknowledged < runs) {
      await trigger();
      await pause(everyMs);
    }
  })();
  return load;
}

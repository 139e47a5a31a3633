import { setTimeout as pause } from "node:timers/promises";
import { makeClient } from "../../client.ts";
import type { Kind } from "./receiver.ts";

export type Load = { acknowledged: string[]; asked: number; answered: number; done: Promise<void> };

type Plan = { runs: number; perCall: number; everyMs: number };

const KEYS = ["red", "green", "blue", "black"];

/** Triggers runs of two jobs, the second with keys, at a steady pace: in bulk, at whichever instance is up. */
export function startLoad(
  { key, jobs, urls, random }: { key: string; jobs: [string, string]; urls: () => string[]; random: () => number },
  { runs, perCall, everyMs }: Plan,
): Load {
  const load: Load = { acknowledged: [], asked: 0, answered: 0, done: Promise.resolve() };

  function item(isKeyed: boolean) {
    const dice = random();
    const kind: Kind = dice < 0.55 ? "quick" : dice < 0.7 ? "flaky" : dice < 0.86 ? "accepted" : "slow";
    if (!isKeyed) return { payload: { kind } };
    // A key whose slots the dead hold for half a minute must be able to catch up afterwards.
    const concurrency_key = KEYS[Math.floor(random() * KEYS.length)];
    return { payload: { kind: kind === "slow" && random() < 0.8 ? "quick" : kind }, concurrency_key };
  }

  async function call(): Promise<void> {
    const all = urls();
    const url = all[Math.floor(random() * all.length)];
    if (url === undefined) return;
    load.asked++;
    const client = makeClient(url, { authorization: `Bearer ${key}` });
    const [free, keyed] = jobs;
    const isKeyed = random() < 0.5;
    const job = isKeyed ? keyed : free;
    const items = Array.from({ length: perCall }, () => item(isKeyed));
    const answer = await client.post(`/v1/jobs/${job}/trigger/bulk`, { items }).catch(() => undefined);
    if (!answer || answer.status >= 300) return;
    load.answered++;
    for (const { run_id } of answer.body.results) load.acknowledged.push(run_id);
  }

  load.done = (async () => {
    while (load.acknowledged.length < runs) {
      await call();
      await pause(everyMs);
    }
  })();
  return load;
}

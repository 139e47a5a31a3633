import { setTimeout as pause } from "node:timers/promises";
import { makeClient } from "../../client.ts";
import type { Kind } from "./receiver.ts";

export type Load = { acknowledged: string[]; asked: number; answered: number; done: Promise<void> };

type Plan = { runs: number; perCall: number; everyMs: number };

const KEYS = ["red", "green", "blue", "black"];

/** Triggers runs of two jobs, one of them with keys, at a steady pace: in bulk, at whichever instance is up. */
export function startLoad(
  { key, jobs, urls, random }: { key: string; jobs: string[]; urls: () => string[]; random: () => number },
  { runs, perCall, everyMs }: Plan,
): Load {
  const load: Load = { acknowledged: [], asked: 0, answered: 0, done: Promise.resolve() };

  function item() {
    const dice = random();
    const kind: Kind = dice < 0.55 ? "quick" : dice < 0.7 ? "flaky" : dice < 0.88 ? "slow" : "accepted";
    return { payload: { kind }, concurrency_key: KEYS[Math.floor(random() * KEYS.length)] };
  }

  async function call(): Promise<void> {
    const all = urls();
    const url = all[Math.floor(random() * all.length)];
    if (url === undefined) return;
    load.asked++;
    const client = makeClient(url, { authorization: `Bearer ${key}` });
    const job = jobs[Math.floor(random() * jobs.length)];
    const items = Array.from({ length: perCall }, item);
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

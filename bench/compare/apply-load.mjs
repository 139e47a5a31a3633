import { setTimeout as pause } from "node:timers/promises";

/** Runs `clients` callers with one call at a time each. Returns the duration of each call in milliseconds. */
export async function closedLoop(n, clients, call) {
  const took = [];
  let next = 0;
  async function client() {
    while (next < n) {
      const index = next++;
      const calledAt = performance.now();
      await call(index);
      took.push(performance.now() - calledAt);
    }
  }
  await Promise.all(Array.from({ length: clients }, client));
  return took;
}

/** Makes calls at a steady rate without waiting for earlier ones. Returns the duration of each call. */
export async function openLoop(n, perSecond, call) {
  const took = [];
  const startedAt = performance.now();
  const calls = [];
  async function callOne(index) {
    const calledAt = performance.now();
    await call(index);
    took.push(performance.now() - calledAt);
  }
  for (let index = 0; index < n; index++) {
    const early = startedAt + (index * 1000) / perSecond - performance.now();
    if (early > 0) await pause(early);
    calls.push(callOne(index));
  }
  await Promise.all(calls);
  return took;
}

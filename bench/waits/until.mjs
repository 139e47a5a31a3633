import { setTimeout as pause } from "node:timers/promises";

const MAX_WAIT_MS = 60_000;

/** Polls until the condition holds. */
export async function until(what, ask, withinMs = MAX_WAIT_MS) {
  const giveUpAt = performance.now() + withinMs;
  while (!(await ask())) {
    if (performance.now() > giveUpAt) throw new Error(`waited ${withinMs} ms for ${what}`);
    await pause(10);
  }
}

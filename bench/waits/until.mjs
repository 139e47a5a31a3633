import { setTimeout as pause } from "node:timers/promises";

const LONGEST_WAIT_MS = 60_000;

/** Asks until it is so. */
export async function until(what, ask, withinMs = LONGEST_WAIT_MS) {
  const giveUpAt = performance.now() + withinMs;
  while (!(await ask())) {
    if (performance.now() > giveUpAt) throw new Error(`waited ${withinMs} ms for ${what}`);
    await pause(10);
  }
}

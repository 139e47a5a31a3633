import { setTimeout as pause } from "node:timers/promises";

/** Asks again and again until there is an answer; the end of the time is an error that says what was waited for. */
export async function until<T>(what: string, withinMs: number, ask: () => T | Promise<T>): Promise<NonNullable<T>> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const answer = await ask();
    if (answer) return answer;
    if (performance.now() > deadline) throw new Error(`waited ${withinMs} ms for ${what}`);
    await pause(5);
  }
}

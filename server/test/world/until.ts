import { setTimeout as pause } from "node:timers/promises";

/** Polls until there is a result. A timeout throws an error that names the condition. */
export async function until<T>(what: string, withinMs: number, poll: () => T | Promise<T>): Promise<NonNullable<T>> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const response = await poll();
    if (response) return response;
    if (performance.now() > deadline) throw new Error(`waited ${withinMs} ms for ${what}`);
    await pause(5);
  }
}

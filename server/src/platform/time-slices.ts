import { setImmediate as othersTurn } from "node:timers/promises";

/** How long one batch may hold the event loop. An item that takes longer holds it for as long as it takes. */
const LONGEST_MS = 10;

/** To be awaited between the items of a batch: lets others in when the batch has held the event loop for its time. */
export function timeSlices(): () => Promise<void> {
  let began = performance.now();
  return async () => {
    if (performance.now() - began < LONGEST_MS) return;
    await othersTurn();
    began = performance.now();
  };
}

/** Runs pure work that yields between its items, and lets others in. */
export async function inSlices<T>(work: Generator<void, T>): Promise<T> {
  const rest = timeSlices();
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
    await rest();
  }
}

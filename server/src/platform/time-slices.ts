import { setImmediate as othersTurn } from "node:timers/promises";

/** What all batches and checks of one turn of the event loop may take together, before the next of them waits. */
const LONGEST_MS = 10;

/** When the work of this turn began. Undefined: none was done in it yet. */
let began: number | undefined;

/** Counts what follows as work of this turn of the event loop. */
export function beginWork(): number {
  if (began !== undefined) return began;
  began = performance.now();
  setImmediate(() => {
    began = undefined;
  });
  return began;
}

/**
 * Whether this turn has had its time. For work that many begin at once, each right after it has asked: an `await` in
 * between would let all of them pass.
 */
export function isTurnOver(): boolean {
  return performance.now() - beginWork() >= LONGEST_MS;
}

/**
 * To be awaited before work that may take milliseconds: between the items of a batch, or before a value is checked
 * against a schema. Goes on at once unless this turn has had its time, whoever took it: forty answers that arrive
 * together are checked in forty turns.
 */
export async function letOthersIn(): Promise<void> {
  while (isTurnOver()) await othersTurn();
}

/** Runs pure work that yields between its items. */
export async function inSlices<T>(work: Generator<void, T>): Promise<T> {
  for (;;) {
    await letOthersIn();
    const { done, value } = work.next();
    if (done) return value;
  }
}

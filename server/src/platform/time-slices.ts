import { setImmediate as othersTurn } from "node:timers/promises";

/** The time that all sliced work may take together in one turn of the event loop before the next yields. */
const LONGEST_MS = 10;

/** When the work of this turn began. Undefined: none yet. */
let began: number | undefined;

/** Counts the following work towards this turn of the event loop. */
export function beginWork(): number {
  if (began !== undefined) return began;
  began = performance.now();
  setImmediate(() => {
    began = undefined;
  });
  return began;
}

/**
 * Whether this turn's slice is used up. For work started concurrently, each item checking right before it begins: an
 * `await` in between would let all of them pass.
 */
export function isTurnOver(): boolean {
  return performance.now() - beginWork() >= LONGEST_MS;
}

/**
 * Await this before work that may take milliseconds: between the items of a batch, or before validating a value against
 * a schema. Continues at once unless this turn's slice is used up, by any code: forty responses that arrive together
 * are validated in forty turns.
 */
export async function letOthersIn(): Promise<void> {
  while (isTurnOver()) await othersTurn();
}

/** Runs synchronous work that yields between its items. */
export async function inSlices<T>(work: Generator<void, T>): Promise<T> {
  for (;;) {
    await letOthersIn();
    const { done, value } = work.next();
    if (done) return value;
  }
}

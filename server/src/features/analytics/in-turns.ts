import { setImmediate as othersTurn } from "node:timers/promises";

/** The same done to each, so many at a time, and in between Node answers others: a slice of a log may be a busy one. */
export async function inTurns<T, R>(items: Iterable<T>, most: number, work: (item: T) => R): Promise<R[]> {
  const done: R[] = [];
  for (const item of items) {
    if (done.length > 0 && done.length % most === 0) await othersTurn();
    done.push(work(item));
  }
  return done;
}

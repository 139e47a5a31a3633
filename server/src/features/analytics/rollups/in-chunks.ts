import { setImmediate as yieldToEventLoop } from "node:timers/promises";

/** Maps items in chunks and yields to the event loop between them: a batch of a log may be large. */
export async function inChunks<T, R>(items: Iterable<T>, max: number, work: (item: T) => R): Promise<R[]> {
  const done: R[] = [];
  for (const item of items) {
    if (done.length > 0 && done.length % max === 0) await yieldToEventLoop();
    done.push(work(item));
  }
  return done;
}

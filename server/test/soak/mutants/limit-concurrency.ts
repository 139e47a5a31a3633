/** Runs at most this many calls concurrently, each in its own slot, counted from 0; the others wait in call order. */
export function limitConcurrency(max: number): <T>(work: (slot: number) => Promise<T>) => Promise<T> {
  const waiting: ((slot: number) => void)[] = [];
  const free = Array.from({ length: max }, (_, slot) => slot);
  return async (work) => {
    const slot = free.shift() ?? (await new Promise<number>((resolve) => waiting.push(resolve)));
    try {
      return await work(slot);
    } finally {
      const next = waiting.shift();
      if (next) next(slot);
      else free.push(slot);
    }
  };
}

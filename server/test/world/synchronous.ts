/** Runs work that yields between items to its end without yielding. */
export function synchronous<A extends unknown[], T>(work: (...args: A) => Generator<void, T>): (...args: A) => T {
  return (...args) => {
    const steps = work(...args);
    for (;;) {
      const { done, value } = steps.next();
      if (done) return value;
    }
  };
}

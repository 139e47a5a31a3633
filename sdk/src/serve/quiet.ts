/** Whoever does not await it must not be ended by what went wrong with it: an unhandled rejection ends the process. */
export function quiet<T>(work: Promise<T>): Promise<T> {
  work.catch(() => {});
  return work;
}

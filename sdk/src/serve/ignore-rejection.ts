/** Prevents an unhandled rejection, which would end the process, if the caller does not await the promise. */
export function ignoreRejection<T>(work: Promise<T>): Promise<T> {
  work.catch(() => {});
  return work;
}

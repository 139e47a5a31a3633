import { type Duration, durationSecs } from "../duration.ts";
import { TimeoutError } from "../errors.ts";

export type Limits = { timeout?: Duration | undefined; signal?: AbortSignal | undefined };

/** Does the work until the time is up (TimeoutError) or the caller aborts (his reason). */
export async function withinTime<T>(
  { timeout, signal }: Limits = {},
  what: string,
  work: (signal: AbortSignal | undefined) => Promise<T>,
): Promise<T> {
  if (timeout === undefined) return work(signal);
  const limit = AbortSignal.timeout(durationSecs(timeout) * 1_000);
  try {
    return await work(signal ? AbortSignal.any([signal, limit]) : limit);
  } catch (error) {
    if (limit.aborted && !signal?.aborted) throw new TimeoutError(`${what} within ${timeout}.`);
    throw error;
  }
}

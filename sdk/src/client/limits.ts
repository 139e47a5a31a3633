import { type Duration, durationSecs } from "../duration.ts";
import { TimeoutError } from "../errors.ts";

/**
 * How long to wait for the end of a run.
 *
 * @example
 * const limits: Limits = { timeout: "2m", signal: new AbortController().signal };
 * const end = await client.runs.handle("0198c7a2-…").result(limits);
 */
export type Limits = { timeout?: Duration | undefined; signal?: AbortSignal | undefined };

/** Runs the work until it finishes, times out (TimeoutError), or the caller aborts (with the caller's reason). */
export async function withTimeout<T>(
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

import type { AnyJob } from "../define-job.ts";
import type { RunContext } from "./run-context.ts";

/**
 * An attempt that a middleware surrounds.
 *
 * @example
 * const describe = ({ job, ctx }: AttemptCall) => `${job.id}, attempt ${ctx.run.attempt} of run ${ctx.run.id}`;
 */
export type AttemptCall = {
  readonly job: AnyJob;
  readonly ctx: RunContext;
  /** Reads a header of the dispatch by its lower-case name, such as `traceparent`. */
  readonly header: (name: string) => string | undefined;
};

/**
 * A step that a middleware surrounds.
 *
 * @example
 * const describe = ({ id, ctx }: StepCall) => `step ${id} of run ${ctx.run.id}`;
 */
export type StepCall = {
  readonly id: string;
  readonly ctx: RunContext;
};

/**
 * Code around every attempt and every step of an endpoint. Call `next` to continue, and return its result. A suspended run
 * rejects `next` with an error that `isSuspend` recognizes; rethrow it.
 *
 * @example
 * const timing: Middleware = {
 *   aroundAttempt: async ({ job, ctx }, next) => {
 *     const startedAt = performance.now();
 *     try {
 *       return await next();
 *     } finally {
 *       ctx.log.info(`${job.id} took ${Math.round(performance.now() - startedAt)} ms`);
 *     }
 *   },
 * };
 */
export type Middleware = {
  /** Surrounds the validation of the payload and the job's `run`. */
  aroundAttempt?: (attempt: AttemptCall, next: () => Promise<unknown>) => Promise<unknown>;
  /** Surrounds the work of `ctx.step`. Not called for a step whose result is stored already. */
  aroundStep?: (step: StepCall, next: () => Promise<unknown>) => Promise<unknown>;
};

type Around<Call> = ((call: Call, next: () => Promise<unknown>) => Promise<unknown>) | undefined;

/** Runs the work inside all hooks; the first is the outermost. */
export function runInside<Call>(hooks: readonly Around<Call>[], call: Call, work: () => unknown): Promise<unknown> {
  const innermost = async () => work();
  return hooks.reduceRight<() => Promise<unknown>>(
    (next, hook) => (hook ? async () => hook(call, next) : next),
    innermost,
  )();
}

import type { Ctx } from "./context.ts";

/** A background task. The engine schedules it; tests run its passes by name. */
export type Task = {
  name: string;
  everyMs: number;
  /** A shorter interval, while there is reason for one; undefined: there is none. */
  soonerMs?: (ctx: Ctx) => number | undefined;
  /** True: only the instance that holds the lease runs it. */
  oneInstance: boolean;
  /** A wake-up topic that starts the next pass at once. */
  wakeOn?: string;
  /** It consumes the changelog. Tests run it once runs no longer change state. */
  consumesLog?: true;
  /** For a task that can wait: after a pass it pauses this many times the pass's duration, even when more is due. */
  throttle?: number;
  /**
   * A cheap check before each pass, for tasks where an empty pass costs more than the check: a transaction, or the
   * lease of one instance, which writes twice. False positives are allowed, false negatives are not. Without it every
   * pass runs.
   */
  hasWork?: (ctx: Ctx) => Promise<boolean>;
  /** Runs one bounded pass. Returns true when more is due right now. */
  runOnce: (ctx: Ctx) => Promise<boolean>;
};

/** The pause after a pass that left nothing to do. */
export function intervalOf(ctx: Ctx, task: Task): number {
  return task.soonerMs?.(ctx) ?? task.everyMs;
}

import type { Ctx } from "./context.ts";
import type { Sql } from "./database/sql.ts";

/** A background task. The engine schedules it; tests run its passes by name. */
export type Task = {
  name: string;
  everyMs: number;
  /** True: only the instance that holds the lease runs it. */
  oneInstance: boolean;
  /** A wake-up topic that starts the next pass at once. */
  wakeOn?: string;
  /** An SQL condition, checked with `hasWork`: while it is false, wake-ups are ignored, and the task only polls. */
  wakesWhile?: Sql;
  /** It consumes the changelog. Tests run it once runs no longer change state. */
  consumesLog?: true;
  /** For a task that can wait: after a pass it pauses this many times the pass's duration, even when more is due. */
  throttle?: number;
  /** How long to pause after a pass of this duration if no more is due, instead of `everyMs`. */
  pauseMs?: (ctx: Ctx, tookMs: number) => number;
  /**
   * An SQL condition without parameters: whether a pass may find work. The conditions of all tasks are checked in one
   * statement (`engine/find-work.ts`), so each must cost one or two index lookups. False positives are allowed, false
   * negatives are not; null counts as false. Without it every pass runs.
   */
  hasWork?: Sql;
  /** Whether this instance has work in memory: then `hasWork` is not needed. */
  hasWorkHere?: (ctx: Ctx) => boolean;
  /** Runs one bounded pass. Returns true when more is due right now. */
  runOnce: (ctx: Ctx) => Promise<boolean>;
};

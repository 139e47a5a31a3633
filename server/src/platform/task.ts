import type { Ctx } from "./context.ts";

/** A background task. The engine knows when; the task knows what; a test takes its turns by name. */
export type Task = {
  name: string;
  everyMs: number;
  /** True: of all instances only the one that holds the lease does it. */
  oneInstance: boolean;
  /** A wake-up topic that makes the next turn come at once. */
  wakeOn?: string;
  /** It follows a log, and sees what was written before the oldest transaction that is still open: tests wait for that. */
  followsLog?: true;
  /** Of a task that can wait: after a turn it throttle so many times as long as the turn took, even when more is due. */
  throttle?: number;
  /**
   * A cheap look before each turn, where one that finds nothing costs more than it: a transaction, or the lease of one
   * instance, which writes twice. It may say so in vain, but never pass over work. Without one every turn is taken.
   */
  hasWork?: (ctx: Ctx) => Promise<boolean>;
  /** Does one bounded turn. Answers true when more is due right now. */
  runOnce: (ctx: Ctx) => Promise<boolean>;
};

/** What is past its time may stay a little longer: its removal takes a fifth of one connection at most. */
export const RETENTION_THROTTLE = 4;

import type { Ctx } from "./context.ts";

/** A background duty. The engine knows when; the duty knows what; a test calls `runOnce` directly. */
export type Loop = {
  name: string;
  everyMs: number;
  /** True: of all instances only the one that holds the lease does it. */
  oneInstance: boolean;
  /** A wake-up topic that makes the next turn come at once. */
  wakeOn?: string;
  /** Does one bounded turn. Answers true when more is due right now. */
  runOnce: (ctx: Ctx) => Promise<boolean>;
};

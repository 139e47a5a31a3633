import { setTimeout as pause } from "node:timers/promises";
import { isConnectionLoss, isDatabaseTimeout } from "./database-errors.ts";

const RETRY_BUDGET = { attempts: 20, pauseMs: 500 };

/**
 * A start waits longer than a request: on a busy machine no connection may be free, and no lock or statement may end,
 * within the seconds that a request waits. A failed `work` has changed nothing: it saves everything in one transaction.
 */
export async function withRetryBudget<T>(work: () => Promise<T>, { attempts, pauseMs } = RETRY_BUDGET): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (attempt === attempts || !(isConnectionLoss(error) || isDatabaseTimeout(error))) throw error;
      await pause(pauseMs);
    }
  }
}

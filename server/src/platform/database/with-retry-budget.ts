import { setTimeout as pause } from "node:timers/promises";
import { isConnectionLoss, isDatabaseTimeout } from "./database-errors.ts";

const RETRY_BUDGET = { attempts: 20, pauseMs: 500 };

/**
 * Startup waits longer than a request: on a busy machine, connections, locks and statements may take longer than the
 * timeouts of requests. A failed `work` has changed nothing: it saves everything in one transaction.
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

import type { Ctx } from "../context.ts";
import { cannotWrite, isConnectionLoss } from "../database/database-errors.ts";
import { ApiError } from "../errors/errors.ts";

/**
 * Logs work that failed and will be retried. While the database is unreachable the watch has logged it once already; a
 * commit may have been the first to notice.
 */
export function logFailure(ctx: Ctx, error: unknown, of: Record<string, unknown>, message: string): void {
  const isAway = isConnectionLoss(error) || (error instanceof ApiError && isConnectionLoss(error.cause));
  ctx.log[isAway ? "debug" : "error"]({ ...of, reason: reasonOf(error) }, message);
}

/** Only a bug needs a stack trace: every task logs a full disk every second or so. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return cannotWrite(error) ? error.message : (error.stack ?? error.message);
}

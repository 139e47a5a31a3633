import { cannotWrite, isConnectionLoss } from "../platform/database/database-errors.ts";
import { EmbeddedPostgresError } from "../platform/embedded-postgres/embedded-postgres-error.ts";
import { StartError } from "../platform/start-error.ts";

/** The output for a failed start. Only a bug needs a stack trace. */
export function printFailedStart(error: unknown): string {
  if (error instanceof StartError || error instanceof EmbeddedPostgresError) return error.message;
  if (isConnectionLoss(error))
    return `The connection to the database was lost during startup: ${(error as Error).message}. Check that the database is running and has free connections, then start again.`;
  if (cannotWrite(error))
    return `The database cannot write: ${(error as Error).message}. Free disk space or make it writable, then start again.`;
  return (error as Error)?.stack ?? String(error);
}

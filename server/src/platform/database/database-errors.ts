const CONNECTION_LOST = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ENOTFOUND",
  "EAI_AGAIN",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "53300", // too many connections
  "57P01", // terminated by the administrator
  "57P02", // crash of another server process
  "57P03", // starting up or shutting down
]);
const LOST_MESSAGE =
  /Connection terminated|Query read timeout|timeout exceeded when trying to connect|timeout expired|not currently accepting connections|Client has encountered a connection error|not queryable|Cannot use a pool after/;
const LATE_MESSAGE = /^(Query read timeout|timeout exceeded when trying to connect|timeout expired)|connection timeout/;
const LOCK_TIMEOUT = "55P03";
const TOO_SLOW = new Set([LOCK_TIMEOUT, "57014", "25P03"]); // lock, statement and idle-in-transaction timeouts
/** Full disk, out of memory, a standby or read-only server, a disk error: temporary, or an operator must act. */
const CANNOT_WRITE = new Set(["53100", "53200", "25006", "58030"]);
const RETRYABLE = new Set(["40001", "40P01"]); // serialization failure, deadlock

/** The database could not be reached, or the connection was lost during a query. */
export function isConnectionLoss(error: unknown): boolean {
  const code = codeOf(error);
  // A missing socket; a missing file is a bug.
  if (code === "ENOENT") return (error as NodeJS.ErrnoException).syscall === "connect";
  if (isRefusedStartup(error)) return false;
  if (code !== undefined && (CONNECTION_LOST.has(code) || code.startsWith("08"))) return true;
  return error instanceof Error && LOST_MESSAGE.test(error.message);
}

/** A pooler rejects a setting permanently, but with the code of a lost connection. */
export function isRefusedStartup(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith("unsupported startup parameter");
}

/** A query timed out. Silence on the sockets decides whether the database is unreachable. */
export function isLate(error: unknown): boolean {
  return isDatabaseTimeout(error) || (error instanceof Error && LATE_MESSAGE.test(error.message));
}

/** Every connection of the pool was in use until the timeout. */
export function isPoolExhausted(error: unknown): boolean {
  return error instanceof Error && error.message === "timeout exceeded when trying to connect";
}

export function isDatabaseTimeout(error: unknown): boolean {
  return TOO_SLOW.has(codeOf(error) ?? "");
}

/** Another transaction has held a lock for longer than this one waits for it. */
export function isLockTimeout(error: unknown): boolean {
  return codeOf(error) === LOCK_TIMEOUT;
}

/** The database responds but cannot write. The request is valid and may be retried. */
export function cannotWrite(error: unknown): boolean {
  return CANNOT_WRITE.has(codeOf(error) ?? "");
}

/** The transaction was rolled back as a whole and may simply be run again. */
export function isRetryable(error: unknown): boolean {
  return RETRYABLE.has(codeOf(error) ?? "");
}

/** An earlier statement had already aborted the transaction. */
export function isConsequence(error: unknown): boolean {
  return codeOf(error) === "25P02";
}

/** On Citus the name ends with the number of a shard. */
export function violates(error: unknown, constraint: string): boolean {
  const code = codeOf(error);
  return (
    (code === "23505" || code === "23503" || code === "23514") &&
    (error as { constraint?: string }).constraint?.replace(/_\d{6,}$/, "") === constraint
  );
}

/** The database rejects a value: a retry is useless. */
export function isDataError(error: unknown): boolean {
  const code = codeOf(error);
  return code !== undefined && (code.startsWith("22") || code.startsWith("23") || code === "54000");
}

function codeOf(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null) return undefined;
  const { code } = error as { code?: unknown };
  return typeof code === "string" ? code : undefined;
}

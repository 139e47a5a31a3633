import type { AnyJob } from "../define-job.ts";
import { isSuspend, NonRetryableError, type Suspend, SuspendSwallowedError } from "../job-errors.ts";
import { checkWith, SchemaError } from "../standard-schema.ts";
import type { Heartbeat } from "./heartbeat.ts";
import { openLogBuffer } from "./log-buffer.ts";
import { type AttemptCall, type Middleware, runInside } from "./middleware.ts";
import { openContext } from "./open-context.ts";
import type { Session } from "./session.ts";

type AttemptInput = {
  session: Session;
  heart: Heartbeat;
  job: AnyJob;
  /** Reads a header of the dispatch. */
  header: (name: string) => string | undefined;
  middleware: readonly Middleware[];
  onError: (error: unknown) => void;
};

/** `stopped`: the run is already canceled, or belongs to another attempt; nothing is to be reported. */
type AttemptEnd =
  | { kind: "completed"; resultJson: string }
  | { kind: "failed"; error: unknown }
  | { kind: "suspended"; wait: string }
  | { kind: "stopped" };

type Ending = { kind: "returned"; output: unknown } | { kind: "threw"; error: unknown };

/** Runs a job once, the same for both deliveries. The caller reports how it ended. */
export async function runAttempt(input: AttemptInput): Promise<AttemptEnd> {
  const { session, heart, job, header, middleware, onError } = input;
  const logs = openLogBuffer(session);
  const ctx = openContext(session, { logs, heart, middleware });
  const ending = await work({ job, ctx, header }, middleware);
  if (ending.kind === "threw" && !isExpected(session, ending.error)) logs.log.error(...explain(ending.error));
  await logs.flush();
  await session.settled();
  const suspended = session.suspendedBy();
  if (suspended) {
    reportSwallowed(onError, suspended, ending);
    return { kind: "suspended", wait: suspended.wait };
  }
  if (session.isStopped()) return { kind: "stopped" };
  const end = endOf(ending);
  if (end.kind === "failed") onError(end.error);
  return end;
}

async function work(attempt: AttemptCall, middleware: readonly Middleware[]): Promise<Ending> {
  try {
    const hooks = middleware.map(({ aroundAttempt }) => aroundAttempt);
    return { kind: "returned", output: await runInside(hooks, attempt, () => runJob(attempt)) };
  } catch (error) {
    return { kind: "threw", error };
  }
}

async function runJob({ job, ctx }: AttemptCall): Promise<unknown> {
  const checked = await checkWith(job.schema, ctx.payload, "payload").catch((error: unknown) => {
    if (!(error instanceof SchemaError)) throw error;
    throw new NonRetryableError(error.message, { code: "payload_invalid", cause: error });
  });
  return job.run(checked as never, ctx);
}

/** Suspensions and cancellations are not failures. */
function isExpected(session: Session, error: unknown): boolean {
  return isSuspend(error) || session.suspendedBy() !== undefined || session.isStopped();
}

function explain(error: unknown): [string, Record<string, unknown>] {
  if (!(error instanceof Error)) return [String(error), {}];
  return [`${error.name}: ${error.message}`, { stack: error.stack ?? null }];
}

function endOf(ending: Ending): AttemptEnd & { kind: "completed" | "failed" } {
  if (ending.kind === "threw") return { kind: "failed", error: ending.error };
  try {
    return { kind: "completed", resultJson: JSON.stringify(ending.output ?? null) };
  } catch (error) {
    const message = `The result is not JSON-serializable: ${String(error)}`;
    return { kind: "failed", error: new NonRetryableError(message, { code: "result_not_json" }) };
  }
}

/** The attempt may have had side effects that it should not have had, so this is reported to `onError`. */
function reportSwallowed(onError: AttemptInput["onError"], suspended: Suspend, ending: Ending): void {
  const did = didAfter(ending);
  if (did !== undefined) onError(new SuspendSwallowedError(suspended, did));
}

/** What the job did after its suspension; undefined if it let the suspension pass. */
function didAfter(ending: Ending): string | undefined {
  if (ending.kind === "returned") return "returned a result";
  return isSuspend(ending.error) ? (ending.error as Suspend).did : `threw ${String(ending.error)}`;
}

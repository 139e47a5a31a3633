import type { ClientCore } from "../client/create-core.ts";
import type { AnyJob } from "../define-job.ts";
import { CanceledError, isSuspend, NonRetryableError, type Suspend, SuspendSwallowedError } from "../job-errors.ts";
import { checkWith, SchemaError } from "../standard-schema.ts";
import type { Dispatch } from "./dispatch.ts";
import { startHeartbeat } from "./heartbeat.ts";
import { openLogBuffer } from "./log-buffer.ts";
import { type AttemptCall, type Middleware, runInside } from "./middleware.ts";
import { openContext } from "./open-context.ts";
import { reportFailure, respond, type ServeResponse } from "./report-failure.ts";
import { openSession, type Session } from "./session.ts";

type DispatchInput = {
  core: ClientCore;
  job: AnyJob;
  dispatch: Dispatch;
  token: string;
  /** Reads a header of the dispatch. */
  header: (name: string) => string | undefined;
  middleware: readonly Middleware[];
  /** Aborted when the service closes the connection. */
  connection: AbortSignal | undefined;
  heartbeatMs: number;
  onError: (error: unknown) => void;
};

type Ending = { kind: "returned"; output: unknown } | { kind: "threw"; error: unknown };

/** Runs a job once and returns the response to its dispatch. */
export async function runDispatch(input: DispatchInput): Promise<ServeResponse> {
  const { core, dispatch, header, job, middleware } = input;
  const session = openSession(core, dispatch, input.token);
  const heart = startHeartbeat(session, input.heartbeatMs);
  const logs = openLogBuffer(session);
  const onDisconnect = () =>
    session.stop(new CanceledError("The service closed the connection: the run was canceled or timed out."));
  input.connection?.addEventListener("abort", onDisconnect, { once: true });
  try {
    const ctx = openContext(session, { logs, heart, middleware });
    const ending = await work({ job, ctx, header }, middleware);
    if (ending.kind === "threw" && !isExpected(session, ending.error)) logs.log.error(...explain(ending.error));
    await logs.flush();
    await session.settled();
    return await responseOf(input, session, ending);
  } finally {
    heart.stop();
    input.connection?.removeEventListener("abort", onDisconnect);
  }
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
  return isSuspend(error) || session.suspendedBy() !== undefined || session.signal.aborted;
}

function explain(error: unknown): [string, Record<string, unknown>] {
  if (!(error instanceof Error)) return [String(error), {}];
  return [`${error.name}: ${error.message}`, { stack: error.stack ?? null }];
}

async function responseOf(input: DispatchInput, session: Session, ending: Ending): Promise<ServeResponse> {
  const suspended = session.suspendedBy();
  if (suspended) {
    reportSwallowed(input, suspended, ending);
    return respond(202, { suspended: suspended.wait });
  }
  // The run is already canceled, so the response is ignored.
  if (session.signal.aborted) return respond(200, { canceled: true });
  if (ending.kind === "threw") return fail(input, session, ending.error);
  try {
    return respond(200, ending.output ?? null);
  } catch (error) {
    const failure = new NonRetryableError(`The result is not JSON-serializable: ${String(error)}`, {
      code: "result_not_json",
    });
    return fail(input, session, failure);
  }
}

/** The attempt may have had side effects that it should not have had, so this is reported to `onError`. */
function reportSwallowed({ onError }: DispatchInput, suspended: Suspend, ending: Ending): void {
  const did = didAfter(ending);
  if (did !== undefined) onError(new SuspendSwallowedError(suspended, did));
}

/** What the job did after its suspension; undefined if it let the suspension pass. */
function didAfter(ending: Ending): string | undefined {
  if (ending.kind === "returned") return "returned a result";
  return isSuspend(ending.error) ? (ending.error as Suspend).did : `threw ${String(ending.error)}`;
}

function fail({ core, dispatch, onError }: DispatchInput, session: Session, error: unknown): Promise<ServeResponse> {
  onError(error);
  return reportFailure({ core, runId: dispatch.run_id, token: session.token() }, error);
}

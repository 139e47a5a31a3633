import type { ClientCore } from "../client/create-core.ts";
import type { AnyJob } from "../define-job.ts";
import { CanceledError } from "../job-errors.ts";
import type { Dispatch } from "./dispatch.ts";
import { startHeartbeat } from "./heartbeat.ts";
import type { Middleware } from "./middleware.ts";
import { jsonHeaders, reportFailure, respond, type ServeResponse } from "./report-failure.ts";
import { runAttempt } from "./run-attempt.ts";
import { openSession } from "./session.ts";

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

/** Runs a job once and returns the response to its dispatch. */
export async function runDispatch(input: DispatchInput): Promise<ServeResponse> {
  const { core, dispatch, job, header, middleware, onError } = input;
  const session = openSession(core, dispatch, input.token);
  const heart = startHeartbeat(session, input.heartbeatMs);
  const onDisconnect = () =>
    session.stop(new CanceledError("The service closed the connection: the run was canceled or timed out."));
  input.connection?.addEventListener("abort", onDisconnect, { once: true });
  try {
    const end = await runAttempt({ session, heart, job, header, middleware, onError });
    if (end.kind === "completed") return { status: 200, headers: jsonHeaders(), body: end.resultJson };
    if (end.kind === "suspended") return respond(202, { suspended: end.wait });
    // The run is already canceled, so the response is ignored.
    if (end.kind === "stopped") return respond(200, { canceled: true });
    return await reportFailure({ core, runId: dispatch.run_id, token: session.token() }, end.error);
  } finally {
    heart.stop();
    input.connection?.removeEventListener("abort", onDisconnect);
  }
}

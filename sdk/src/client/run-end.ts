import { MillraceError } from "../errors.ts";

export type FailedStatus = "failed" | "timed_out" | "canceled";

/** How a run ended. */
export type RunEnd<Output = unknown> =
  | { ok: true; status: "completed"; output: Output }
  | { ok: false; status: FailedStatus; error: { code: string; message: string } };

/** Thrown by `unwrap` if a run did not complete. */
export class RunFailedError extends MillraceError {
  override name = "RunFailedError";
  readonly runId: string;
  readonly status: FailedStatus;
  constructor(runId: string, end: Extract<RunEnd, { ok: false }>) {
    super(end.error.code, `Run ${runId} ended as ${end.status}: ${end.error.message}`);
    this.runId = runId;
    this.status = end.status;
  }
}

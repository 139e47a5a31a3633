import { MillraceError } from "../errors.ts";

/**
 * The status of a run that ended without completing.
 *
 * @example
 * const isFinal = (status: FailedStatus) => status !== "timed_out";
 */
export type FailedStatus = "failed" | "timed_out" | "canceled";

/**
 * How a run ended. `ok` tells the two apart.
 *
 * @example
 * const end: RunEnd<{ id: string }> = await run.result({ timeout: "2m" });
 * console.log(end.ok ? end.output.id : `${end.status}: ${end.error.message}`);
 */
export type RunEnd<Output = unknown> =
  | { ok: true; status: "completed"; output: Output }
  | { ok: false; status: FailedStatus; error: { code: string; message: string } };

/**
 * Thrown by `unwrap` if a run did not complete.
 *
 * @example
 * try {
 *   const { id } = await run.unwrap();
 * } catch (error) {
 *   if (error instanceof RunFailedError) console.log(error.runId, error.status, error.code);
 * }
 */
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

import { ApiError } from "../../platform/errors/errors.ts";
import type { RunStatus } from "./states.ts";

export const LIVE_STATUSES = ["pending", "running", "waiting", "paused"] as const satisfies RunStatus[];

export function hasEnded(status: RunStatus): boolean {
  return !(LIVE_STATUSES as readonly RunStatus[]).includes(status);
}

/** Final states are final. */
export function refuseEnded({ status }: { status: RunStatus }): void {
  if (hasEnded(status)) throw endedError(status);
}

export function endedError(status: RunStatus): ApiError {
  return new ApiError("run_already_ended", `The run has already ended: its status is ${status}.`, {
    errors: [{ location: "path.runID", message: `is ${status}`, value: status }],
  });
}

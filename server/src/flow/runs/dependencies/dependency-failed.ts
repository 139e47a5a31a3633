import type { RunStatus } from "../states.ts";

/** The error of a run that was canceled because a run it depends on did not complete. */
export function dependencyFailed(depends_on_run_id: string, status: RunStatus) {
  return {
    code: "dependency_failed",
    message: `The run ${depends_on_run_id}, which it depends on, ended as ${status}.`,
  } as const;
}

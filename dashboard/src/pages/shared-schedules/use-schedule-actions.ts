import type { Schedule } from "@millrace/contract/jobs/schedules";
import { useDisabledReason } from "../../api/me.ts";
import { useChange } from "../../api/use-api.ts";

const PATH = "/v1/schedules";

/** Runs a schedule now, or pauses and resumes it. */
export function useScheduleActions() {
  const noTrigger = useDisabledReason("jobs:trigger");
  const { mutate: runNow } = useChange<Schedule>({
    run: ({ id }, send) => send("POST", `${PATH}/${id}/run-now`),
    done: "Run started",
    invalidates: [PATH, "/v1/runs", "/v1/workflow-runs"],
  });
  const { mutate: toggle } = useChange<Schedule>({
    run: ({ id, paused }, send) => send("POST", paused ? `${PATH}/${id}/resume` : `${PATH}/${id}/pause`),
    undo: (schedule) => ({ ...schedule, paused: !schedule.paused }),
    done: (_, { paused }) => (paused ? "Schedule resumed" : "Schedule paused"),
    invalidates: [PATH],
  });
  return { noTrigger, runNow, toggle };
}

import type { StepInput } from "@millrace/contract/workflow-steps";
import type { StepDefinition } from "../../flow/workflows/definition.ts";

const WAIT_SECS = 3_600;
const APPROVAL_SECS = 86_400;

/** Steps without a fault as a version keeps them: every field of their type, jobs by their id. */
export function normalSteps(steps: readonly StepInput[], jobs: ReadonlyMap<string, string>): StepDefinition[] {
  return steps.map((step) => normalStep(step, jobs));
}

function normalStep(step: StepInput, jobs: ReadonlyMap<string, string>): StepDefinition {
  const { step_ref, depends_on = [], on_failure = "fail_workflow", condition = null } = step;
  const common = { step_ref, depends_on, on_failure, condition };
  switch (step.type) {
    case "wait_for_event": {
      const { event_key = "", notify_url = null } = step;
      return { ...common, type: step.type, event_key, timeout_secs: step.timeout_secs ?? WAIT_SECS, notify_url };
    }
    case "sleep":
      return { ...common, type: step.type, sleep_duration: step.sleep_duration ?? "" };
    case "approval": {
      const { approvers = [], message = null } = step;
      return { ...common, type: step.type, approvers, message, timeout_secs: step.timeout_secs ?? APPROVAL_SECS };
    }
    default:
      return {
        ...common,
        type: "job",
        job_id: jobs.get(step.job_id ?? "") ?? "",
        payload: step.payload ?? null,
        timeout_secs: step.timeout_secs ?? null,
        max_attempts: step.max_attempts ?? null,
        priority: step.priority ?? null,
        concurrency_key: step.concurrency_key ?? null,
        event_emit_key: step.event_emit_key ?? null,
        event_emit_buffer_secs: step.event_emit_buffer_secs ?? 0,
      };
  }
}

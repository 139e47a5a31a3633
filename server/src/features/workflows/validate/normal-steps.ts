import type { StepInput } from "@millrace/contract/workflows/workflow-steps";
import type { StepDefinition } from "../../../flow/workflows/plan/definition.ts";

const WAIT_SECS = 3_600;
const APPROVAL_SECS = 86_400;
const MAP_PARALLEL = 10;

type Known = { jobs: ReadonlyMap<string, string>; workflows: ReadonlyMap<string, string> };

/** Valid steps as a version stores them: every field of their type, jobs and workflows by id. */
export function normalSteps(steps: readonly StepInput[], known: Known): StepDefinition[] {
  return steps.map((step) => normalStep(step, known));
}

function normalStep(step: StepInput, { jobs, workflows }: Known): StepDefinition {
  const { step_ref, depends_on = [], on_failure = "fail_workflow", condition = null } = step;
  const common = { step_ref, depends_on, on_failure, condition };
  const compensate_job_id = jobs.get(step.compensate_job_id ?? "") ?? null;
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
    case "map":
      return {
        ...common,
        type: step.type,
        items: step.items ?? [],
        ...(step.job_id && { job_id: jobs.get(step.job_id) ?? "" }),
        ...(step.workflow_id && { workflow_id: workflows.get(step.workflow_id) ?? "" }),
        payload: step.payload ?? null,
        max_parallel: step.max_parallel ?? MAP_PARALLEL,
        tolerate_failures: step.tolerate_failures ?? false,
        compensate_job_id,
      };
    case "sub_workflow": {
      const { payload = null } = step;
      const workflow_id = workflows.get(step.workflow_id ?? "") ?? "";
      return { ...common, type: step.type, workflow_id, payload, compensate_job_id };
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
        compensate_job_id,
      };
  }
}

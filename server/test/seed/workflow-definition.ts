import type { StepStatus } from "../../src/flow/runs/states.ts";
import type {
  ApprovalStep,
  GraphState,
  JobStep,
  SleepStep,
  StepDefinition,
  StepState,
  WaitStep,
  WorkflowDefinition,
} from "../../src/flow/workflows/plan/definition.ts";

/** Definitions as stored in versions, for the planner. */
export function workflow(steps: StepDefinition[], rest: Partial<WorkflowDefinition> = {}): WorkflowDefinition {
  return { steps, timeout_secs: null, max_parallel_steps: null, ...rest };
}

const common = { depends_on: [], on_failure: "fail_workflow", condition: null } satisfies Partial<StepDefinition>;

export function jobStep(step_ref: string, rest: Partial<Omit<JobStep, "step_ref" | "type">> = {}): JobStep {
  return {
    ...common,
    type: "job",
    step_ref,
    job_id: "00000000-0000-7000-8000-000000000001",
    payload: null,
    timeout_secs: null,
    max_attempts: null,
    priority: null,
    concurrency_key: null,
    event_emit_key: null,
    event_emit_buffer_secs: 0,
    ...rest,
  };
}

export function waitStep(step_ref: string, rest: Partial<Omit<WaitStep, "step_ref" | "type">> = {}): WaitStep {
  const own = { event_key: `event-${step_ref}`, timeout_secs: 3600, notify_url: null };
  return { ...common, type: "wait_for_event", step_ref, ...own, ...rest };
}

export function sleepStep(step_ref: string, rest: Partial<Omit<SleepStep, "step_ref" | "type">> = {}): SleepStep {
  return { ...common, type: "sleep", step_ref, sleep_duration: "30s", ...rest };
}

export function approvalStep(
  step_ref: string,
  rest: Partial<Omit<ApprovalStep, "step_ref" | "type">> = {},
): ApprovalStep {
  return { ...common, type: "approval", step_ref, approvers: [], message: null, timeout_secs: 3600, ...rest };
}

type Known = StepStatus | (Partial<StepState> & { status: StepStatus });

/** Steps not listed are pending. */
export function stateOf(
  definition: WorkflowDefinition,
  known: Record<string, Known> = {},
  rest: { payload?: unknown; outputs?: Record<string, unknown> } = {},
): GraphState {
  const read = (step_ref: string): StepState => {
    const own = known[step_ref] ?? "pending";
    return { cause: null, cause_ref: null, error: null, ...(typeof own === "string" ? { status: own } : own) };
  };
  return {
    payload: rest.payload ?? {},
    steps: new Map(definition.steps.map(({ step_ref }) => [step_ref, read(step_ref)])),
    outputs: new Map(Object.entries(rest.outputs ?? {})),
  };
}

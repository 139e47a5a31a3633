import { listCompensations } from "../compensate/compensate-plan.ts";
import {
  isRunnable,
  type RunDecision,
  type StepCause,
  type StepDecision,
  type StepError,
  type StepState,
  type WorkflowDefinition,
} from "./definition.ts";
import { planGraph } from "./planner.ts";

/** The assumed outcome of a step when it is started: by default, completed with null. */
export type AssumedOutcome = { status?: "completed" | "failed"; output?: unknown };

type SimulatedStep = {
  step_ref: string;
  status: StepState["status"];
  cause: StepCause | null;
  cause_ref: string | null;
  error: StepError | null;
  /** The result of its condition. Null: it has none, or it was never evaluated. */
  condition: boolean | null;
  /** The round in which it was started, counted from 1; steps of a round run in parallel. */
  round: number | null;
  reason: string | null;
};

type SimulatedRun = {
  status: "completed" | "failed";
  error: StepError | null;
  error_count: number;
  /** The started steps, in that order. */
  order: string[];
  /** The steps compensated before the run ends, in that order. */
  compensations: string[];
  /** In the order of the definition. */
  steps: SimulatedStep[];
};

/** Simulates a run to its end with the planner of real runs: all running steps end in the round after their start. */
export function* simulateRun(
  definition: WorkflowDefinition,
  payload: unknown,
  outcomes: ReadonlyMap<string, AssumedOutcome>,
): Generator<void, SimulatedRun> {
  const steps = new Map(definition.steps.map(({ step_ref }) => [step_ref, newStep(step_ref)]));
  const outputs = new Map<string, unknown>();
  const order: string[] = [];
  for (let round = 1; round <= definition.steps.length + 1; round++) {
    const plan = yield* planGraph(definition, { payload, steps, outputs });
    for (const decision of plan.steps) applyDecision(stepOf(steps, decision.step_ref), decision, round);
    if (plan.run.kind !== "continue") {
      return { ...endRun(plan.run, order, steps), compensations: compensationsOf(definition, plan.run, order, steps) };
    }
    for (const { kind, step_ref } of plan.steps) if (kind === "start") order.push(step_ref);
    for (const step of steps.values()) endStep(step, outcomes.get(step.step_ref) ?? {}, outputs);
  }
  throw new Error("a workflow run was simulated for more rounds than it has steps");
}

function newStep(step_ref: string): SimulatedStep {
  const nothing = { cause: null, cause_ref: null, error: null, condition: null, round: null, reason: null };
  return { step_ref, status: "pending", ...nothing };
}

function stepOf(steps: ReadonlyMap<string, SimulatedStep>, step_ref: string): SimulatedStep {
  const step = steps.get(step_ref);
  if (!step) throw new Error(`the planner decided about ${step_ref}, which is not a step`);
  return step;
}

function applyDecision(step: SimulatedStep, decision: StepDecision, round: number): void {
  if (decision.kind === "hold") return;
  step.reason = decision.reason;
  switch (decision.kind) {
    case "start":
      step.status = isRunnable(decision.rendered.type) ? "running" : "waiting";
      step.condition = decision.condition;
      step.round = round;
      return;
    case "skip":
      step.status = "skipped";
      step.cause = decision.cause;
      step.cause_ref = decision.cause_ref;
      if (decision.cause === "condition") step.condition = false;
      return;
    case "fail":
      step.status = "failed";
      step.error = decision.error;
  }
}

function endStep(step: SimulatedStep, { status = "completed", output }: AssumedOutcome, outputs: Map<string, unknown>) {
  if (step.status !== "running" && step.status !== "waiting") return;
  step.status = status;
  if (status === "completed") outputs.set(step.step_ref, output ?? null);
  else step.error = { code: "assumed", message: "it was assumed to fail" };
}

/** As in real runs, a failure under `fail_workflow` cancels every step that has not ended. */
function endRun(
  end: Exclude<RunDecision, { kind: "continue" }>,
  order: string[],
  steps: ReadonlyMap<string, SimulatedStep>,
): Omit<SimulatedRun, "compensations"> {
  const { error_count } = end;
  const all = [...steps.values()];
  if (end.kind === "complete") return { status: "completed", error: null, error_count, order, steps: all };
  for (const step of all.filter(({ status }) => status === "pending")) {
    Object.assign(step, { status: "canceled", cause: "step_failed", cause_ref: end.step_ref });
  }
  return { status: "failed", error: end.error, error_count, order, steps: all };
}

/** Steps of a round end together: taken in the order of their start. */
function compensationsOf(
  definition: WorkflowDefinition,
  { kind }: RunDecision,
  order: readonly string[],
  steps: ReadonlyMap<string, SimulatedStep>,
): string[] {
  if (kind !== "fail") return [];
  const states = [...steps].map(([ref, { status }]) => {
    return [ref, { status, completion: order.indexOf(ref), compensation: null }] as const;
  });
  return listCompensations(definition, new Map(states)).map(({ step_ref }) => step_ref);
}

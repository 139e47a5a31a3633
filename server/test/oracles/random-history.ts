import type { StepState } from "../../src/flow/workflows/plan/definition.ts";
import { planGraph as planGraphInTurns } from "../../src/flow/workflows/plan/planner.ts";
import type { RecordedRun, RecordedStep } from "../../src/flow/workflows/versions/recorded-run.ts";
import { synchronous } from "../world/synchronous.ts";
import { PAYLOAD, type ThrownGraph } from "./random-graph.ts";

const planGraph = synchronous(planGraphInTurns);

type Dice = () => number;
type RandomStep = Omit<RecordedStep, "status"> & { state: StepState; ends_at: number };

/**
 * Simulates a random graph minute by minute: each started step is queued for a while, runs for a while, and ends with
 * its generated result. Several may end in the same minute. Returns the rows that the tables would hold afterwards.
 */
export function recordRandomRun({ steps, definition }: ThrownGraph, dice: Dice): RecordedRun {
  const lived = new Map(steps.map(({ ref, type }) => [ref, newStep(type)]));
  const outputs = new Map<string, unknown>();
  for (let now = 0; ; now++) {
    for (const step of steps) endIfDue(lived, outputs, step, now);
    const states = new Map([...lived].map(([ref, { state }]) => [ref, state]));
    const plan = planGraph(definition, { payload: PAYLOAD, steps: states, outputs });
    for (const decision of plan.steps) {
      const step = lived.get(decision.step_ref);
      if (!step || decision.kind === "hold") continue;
      const { kind } = decision;
      if (kind === "start") {
        const started_ms = now + (dice() % 3);
        const ends_at = Math.max(started_ms + (dice() % 20), now + 1);
        const status = decision.rendered.type === "job" ? "running" : "waiting";
        Object.assign(step, { state: { ...PENDING, status }, dispatched: true, started_ms, ends_at });
      } else if (kind === "skip") {
        const { cause, cause_ref } = decision;
        Object.assign(step, { state: { ...PENDING, status: "skipped", cause, cause_ref }, ended_ms: now });
      } else Object.assign(step, failedUnstarted(decision.error, now));
    }
    if (plan.run.kind === "continue") continue;
    return record(definition, lived, plan.run.kind === "fail" ? "failed" : "completed", outputs, now);
  }
}

const PENDING: StepState = { status: "pending", cause: null, cause_ref: null, error: null };

function newStep(type: string): RandomStep {
  const nothing = { output: null, error: null, cause: null, started_ms: null, ended_ms: null, cost_microusd: 0 };
  return { ...nothing, type, dispatched: false, state: PENDING, ends_at: Number.POSITIVE_INFINITY };
}

function failedUnstarted(error: StepState["error"], now: number) {
  return { state: { ...PENDING, status: "failed", error }, started_ms: now, ended_ms: now };
}

function endIfDue(
  lived: ReadonlyMap<string, RandomStep>,
  outputs: Map<string, unknown>,
  { ref, outcome }: ThrownGraph["steps"][number],
  now: number,
): void {
  const step = lived.get(ref);
  if (step?.ends_at !== now) return;
  const error = outcome === "failed" ? { code: "boom", message: ref } : null;
  if (outcome === "completed") outputs.set(ref, { made_by: ref });
  Object.assign(step, { state: { ...PENDING, status: outcome, error }, ended_ms: now });
}

function record(
  definition: ThrownGraph["definition"],
  lived: ReadonlyMap<string, RandomStep>,
  status: "completed" | "failed",
  outputs: ReadonlyMap<string, unknown>,
  now: number,
): RecordedRun {
  const steps = new Map<string, RecordedStep>();
  for (const [ref, { state, ends_at: _, ...rest }] of lived) {
    const isOpen = ["pending", "running", "waiting"].includes(state.status);
    const { cause, error } = state;
    const own = isOpen
      ? ({ status: "canceled", cause: "step_failed", ended_ms: now } as const)
      : { status: state.status, cause, error };
    steps.set(ref, { ...rest, ...own, output: outputs.get(ref) ?? null });
  }
  return { definition, payload: PAYLOAD, status, steps };
}

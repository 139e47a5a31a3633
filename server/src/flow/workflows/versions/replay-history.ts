import type { ShadowDifference } from "@millrace/contract/workflows/shadow";
import type { WorkflowRunStatus } from "../../runs/states.ts";
import {
  type GraphPlan,
  isRunnable,
  type StepDecision,
  type StepDefinition,
  type StepState,
  type WorkflowDefinition,
} from "../plan/definition.ts";
import { indexGraph } from "../plan/graph-index.ts";
import { planGraph } from "../plan/planner.ts";
import { durationOf, lagOf, type Medians, type Outcome, type RecordedRun, recordedOutcome } from "./recorded-run.ts";

/** The result of a step in a replay. */
type ReplayedStep = {
  status: StepState["status"];
  reason: string;
  duration_ms: number;
  cost_microusd: number;
  /** It was started, and there is no history of how it ends. */
  assumed: boolean;
};

export type Replay = { status: WorkflowRunStatus; reason: string; steps: ReadonlyMap<string, ReplayedStep> };

/**
 * Replays an ended run with a definition: the planner decides, and the record gives the outcome of each started step.
 * Pure: nothing is dispatched. As long as no step fails the run, the order of ends does not matter, so all open steps
 * end at once, which needs few plans; otherwise it is repeated with the recorded times.
 */
export function* replayHistory(
  definition: WorkflowDefinition,
  run: RecordedRun,
  medians: Medians,
): Generator<void, Replay> {
  const allAtOnce = yield* replayRecorded(definition, run, medians, false);
  return allAtOnce.status === "failed" ? yield* replayRecorded(definition, run, medians, true) : allAtOnce;
}

type Open = { outcome: Outcome; started_at: number; ends_at: number };

type ReplayState = {
  definition: WorkflowDefinition;
  run: RecordedRun;
  medians: Medians;
  isTimed: boolean;
  now: number;
  states: Map<string, StepState>;
  outputs: Map<string, unknown>;
  open: Map<string, Open>;
  endedAt: Map<string, number>;
  replayed: Map<string, ReplayedStep>;
};

function* replayRecorded(
  definition: WorkflowDefinition,
  run: RecordedRun,
  medians: Medians,
  isTimed: boolean,
): Generator<void, Replay> {
  const at = begin(definition, run, medians, isTimed);
  for (;;) {
    const plan = yield* planGraph(definition, { payload: run.payload, steps: at.states, outputs: at.outputs });
    for (const decision of plan.steps) follow(at, decision);
    if (plan.run.kind === "fail") return finish(at, "failed", plan.run.error.message);
    if (plan.run.kind === "complete") return finish(at, "completed", describe(plan.run));
    if (!endNext(at)) return finish(at, run.status, `the recorded run was ${run.status} at this point`);
  }
}

/** Manually skipped steps stay skipped: that was not a decision of the planner. */
function begin(definition: WorkflowDefinition, run: RecordedRun, medians: Medians, isTimed: boolean): ReplayState {
  const states = new Map(definition.steps.map(({ step_ref }) => [step_ref, PENDING]));
  const open = new Map();
  const at = { definition, run, medians, isTimed, now: 0, states, outputs: new Map(), open };
  const begun: ReplayState = { ...at, endedAt: new Map(), replayed: new Map() };
  for (const [ref, { status, cause, ended_ms }] of run.steps) {
    if (!states.has(ref) || status !== "skipped" || cause !== "manual") continue;
    states.set(ref, { ...PENDING, status, cause });
    begun.endedAt.set(ref, ended_ms ?? 0);
    begun.replayed.set(ref, { ...NOTHING, status, reason: "it was skipped manually" });
  }
  return begun;
}

const PENDING: StepState = { status: "pending", cause: null, cause_ref: null, error: null };
const NOTHING = { duration_ms: 0, cost_microusd: 0, assumed: false } as const;

function follow(at: ReplayState, decision: StepDecision): void {
  const { kind, step_ref, reason } = decision;
  if (kind === "hold") return;
  if (kind === "start") {
    start(at, decision);
    return;
  }
  const status = kind === "skip" ? "skipped" : "failed";
  const why = kind === "skip" ? { cause: decision.cause, cause_ref: decision.cause_ref } : { error: decision.error };
  at.states.set(step_ref, { ...PENDING, status, ...why });
  at.endedAt.set(step_ref, at.now);
  at.replayed.set(step_ref, { ...NOTHING, status, reason });
}

function start(at: ReplayState, { step_ref, rendered, reason }: Extract<StepDecision, { kind: "start" }>): void {
  const node = indexGraph(at.definition).byRef.get(step_ref);
  if (!node) throw new Error(`the definition has no step ${step_ref}`);
  const outcome = recordedOutcome(node.step, rendered, at.run, at.medians);
  const started_at = at.isTimed ? Math.max(at.now, readyAt(at, node.step) + lagOf(at.run, step_ref)) : at.now;
  const ends_at =
    outcome.late === null ? started_at + (at.isTimed ? outcome.duration_ms : 0) : Number.POSITIVE_INFINITY;
  at.open.set(step_ref, { outcome, started_at, ends_at });
  at.states.set(step_ref, { ...PENDING, status: isRunnable(rendered.type) ? "running" : "waiting" });
  const { duration_ms, cost_microusd, assumed } = outcome;
  at.replayed.set(step_ref, { status: "running", reason, duration_ms, cost_microusd, assumed });
}

function readyAt({ endedAt }: ReplayState, { depends_on }: StepDefinition): number {
  return Math.max(0, ...depends_on.map((ref) => endedAt.get(ref) ?? 0));
}

/** Ends the next step or steps. False: only the cancellation or timeout of the recorded run is left. */
function endNext(at: ReplayState): boolean {
  let next = Number.POSITIVE_INFINITY;
  for (const { ends_at } of at.open.values()) next = Math.min(next, ends_at);
  const due = [...at.open].filter(([, { ends_at }]) => ends_at === next);
  if (due.length === 0) throw new Error("the replay continues, but no step is running");
  if (due.some(([, { outcome }]) => outcome.late === "run")) return false;
  if (next !== Number.POSITIVE_INFINITY) at.now = next;
  for (const [ref, { outcome }] of due) end(at, ref, outcome);
  return true;
}

function end(at: ReplayState, ref: string, { status, output, error }: Outcome): void {
  at.open.delete(ref);
  at.endedAt.set(ref, at.now);
  at.states.set(ref, { ...PENDING, status, error });
  if (status === "completed") at.outputs.set(ref, output ?? null);
  const replayed = at.replayed.get(ref);
  if (replayed) at.replayed.set(ref, { ...replayed, status });
}

/** Open and unreached steps are canceled with the run. */
function finish(at: ReplayState, status: WorkflowRunStatus, reason: string): Replay {
  for (const { step_ref } of at.definition.steps) {
    const open = at.open.get(step_ref);
    if (open) at.replayed.set(step_ref, interrupted(at, step_ref, open));
    else if (!at.replayed.has(step_ref)) {
      at.replayed.set(step_ref, { ...NOTHING, status: "canceled", reason: "the run ended before it could start" });
    }
  }
  return { status, reason, steps: at.replayed };
}

function interrupted({ run, now }: ReplayState, ref: string, { outcome, started_at }: Open): ReplayedStep {
  const recorded = run.steps.get(ref);
  const reason = "the run ended before it did";
  if (recorded?.status === "canceled") {
    const { cost_microusd } = recorded;
    return { status: "canceled", reason, duration_ms: durationOf(recorded) ?? 0, cost_microusd, assumed: false };
  }
  const duration_ms = Math.min(outcome.duration_ms, Math.max(now - started_at, 0));
  return { status: "canceled", reason, duration_ms, cost_microusd: outcome.cost_microusd, assumed: outcome.assumed };
}

function describe({ error_count }: Extract<GraphPlan["run"], { kind: "complete" }>): string {
  return error_count === 0 ? "every step is done" : `every step is done, ${error_count} of them failed`;
}

/** Every decision that differs between a recorded run and its replay: step by step, then the end. */
export function compareReplay(run: RecordedRun, replay: Replay): ShadowDifference[] {
  const differences: ShadowDifference[] = [];
  for (const [step_ref, { status, reason }] of replay.steps) {
    const was = run.steps.get(step_ref)?.status ?? null;
    if (was !== status) differences.push({ step_ref, kind: kindOf(was, status), was, is: status, reason });
  }
  for (const [step_ref, { status }] of run.steps) {
    if (replay.steps.has(step_ref)) continue;
    const reason = "the candidate has no such step";
    differences.push({ step_ref, kind: "step_missing", was: status, is: null, reason });
  }
  if (replay.status !== run.status) {
    const { status: is, reason } = replay;
    differences.push({ step_ref: null, kind: "end_status", was: run.status, is, reason });
  }
  return differences;
}

function kindOf(was: string | null, is: string): ShadowDifference["kind"] {
  if (was === null) return "step_added";
  if (was === "skipped" && RAN.has(is)) return "skipped_to_ran";
  return RAN.has(was) && is === "skipped" ? "ran_to_skipped" : "other_outcome";
}

const RAN: ReadonlySet<string> = new Set(["completed", "failed"]);

import type { StepStatus } from "../../runs/states.ts";
import type { WorkflowDefinition } from "./definition.ts";
import { indexGraph, type StepNode } from "./graph-index.ts";

export type TimedStep = {
  status: StepStatus;
  /** From its start to its end, or until now. Null: it has not started. */
  duration_ms: number | null;
  estimate_ms: number | null;
};

type CriticalPath = {
  basis: "estimates" | "durations";
  step_refs: string[];
  estimate_ms: number | null;
  remaining_ms: number | null;
  /** Steps that have not ended and have no estimate: the length is undefined because of them. */
  unestimated: string[];
};

/** The chain of steps that determines how long a workflow run takes: by their durations, else by their estimates. */
export function criticalPath(
  definition: WorkflowDefinition,
  steps: ReadonlyMap<string, TimedStep>,
  hasEnded: boolean,
): CriticalPath {
  const { order } = indexGraph(definition);
  const timed = (ref: string) => steps.get(ref) ?? UNKNOWN;
  if (hasEnded) {
    const { step_refs, length_ms } = longestPath(order, (ref) => ({ ms: timed(ref).duration_ms ?? 0, open: 0 }));
    return { basis: "durations", step_refs, estimate_ms: length_ms, remaining_ms: 0, unestimated: [] };
  }

  const refs = order.map(({ step }) => step.step_ref);
  const unestimated = refs.filter((ref) => !isEnded(timed(ref)) && timed(ref).estimate_ms === null);
  const whole = longestPath(order, (ref) => ({ ms: wholeMs(timed(ref)), open: Number(!isEnded(timed(ref))) }));
  const left = longestPath(order, (ref) => ({ ms: remainingMs(timed(ref)), open: 0 }));
  return {
    basis: "estimates",
    step_refs: whole.step_refs,
    estimate_ms: unestimated.length > 0 ? null : whole.length_ms,
    remaining_ms: unestimated.length > 0 ? null : left.length_ms,
    unestimated,
  };
}

const UNKNOWN: TimedStep = { status: "pending", duration_ms: null, estimate_ms: null };
const ENDED: ReadonlySet<StepStatus> = new Set(["completed", "failed", "skipped", "canceled"]);

function isEnded({ status }: TimedStep): boolean {
  return ENDED.has(status);
}

/** A step that exceeds its estimate counts with its duration so far. */
function wholeMs(step: TimedStep): number {
  if (isEnded(step)) return step.duration_ms ?? 0;
  return Math.max(step.duration_ms ?? 0, step.estimate_ms ?? 0);
}

function remainingMs(step: TimedStep): number {
  return isEnded(step) ? 0 : Math.max((step.estimate_ms ?? 0) - (step.duration_ms ?? 0), 0);
}

type Path = { step_refs: string[]; length_ms: number };

/** A chain of steps; `open`: how many of them have not ended. */
type Length = { ms: number; open: number };
/** The longest chain that ends with a step, and the step before it. */
type Chain = Length & { before: StepNode | undefined };

/**
 * The longest by the sum of its steps; on a tie the one with more open steps, so that a run without a history has a
 * path to its end; then the one that is defined first. It begins and ends with a step of nonzero length.
 */
function longestPath(order: readonly StepNode[], lengthOfStep: (ref: string) => Length): Path {
  const chains = new Map<StepNode, Chain>();
  const longest = (nodes: readonly StepNode[]) => {
    let [found, length]: [StepNode | undefined, Length] = [undefined, NO_LENGTH];
    for (const node of nodes) {
      const chain = chains.get(node) ?? NO_LENGTH;
      if (isLonger(chain, length)) [found, length] = [node, chain];
    }
    return { found, length };
  };

  for (const node of order) {
    const { found: before, length } = longest(node.parents);
    const own = lengthOfStep(node.step.step_ref);
    chains.set(node, { ms: length.ms + own.ms, open: length.open + own.open, before });
  }
  const last = longest(order);
  const step_refs: string[] = [];
  for (let node = last.found; node; node = chains.get(node)?.before) step_refs.unshift(node.step.step_ref);
  return { step_refs, length_ms: last.length.ms };
}

const NO_LENGTH: Length = { ms: 0, open: 0 };

function isLonger(one: Length, other: Length): boolean {
  return one.ms > other.ms || (one.ms === other.ms && one.open > other.open);
}

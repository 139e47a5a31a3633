import type { StepDefinition, WorkflowDefinition } from "./definition.ts";
import { type Named, namedSteps } from "./named-steps.ts";

/** A step with the facts that the planner needs for every plan. */
export type StepNode = {
  step: StepDefinition;
  parents: readonly StepNode[];
  /** The ancestors whose outputs it gets: those it names, and for a job those in `depends_on`. */
  reads: readonly string[];
  /** The ancestors whose status its condition reads. */
  statusRefs: readonly string[];
  /** It can be skipped or fail without being started, so that its dependents may be decided in the same plan. */
  mayEndUnstarted: boolean;
};

/** `order`: every step after its dependencies, otherwise as defined. */
export type GraphIndex = { order: readonly StepNode[]; byRef: ReadonlyMap<string, StepNode> };

/** A definition never changes while it is cached, so it is indexed once. */
export function indexGraph(definition: WorkflowDefinition): GraphIndex {
  const known = indexes.get(definition);
  if (known) return known;
  const index = buildIndex(definition.steps);
  indexes.set(definition, index);
  return index;
}

const indexes = new WeakMap<WorkflowDefinition, GraphIndex>();

function buildIndex(steps: readonly StepDefinition[]): GraphIndex {
  const byRef = new Map<string, StepNode>();
  for (const step of sortSteps(steps)) {
    byRef.set(step.step_ref, newNode(step, parentsOf(step, byRef)));
  }
  return { order: [...byRef.values()], byRef };
}

function parentsOf({ depends_on }: StepDefinition, byRef: ReadonlyMap<string, StepNode>): StepNode[] {
  const parents: StepNode[] = [];
  for (const ref of depends_on) {
    const parent = byRef.get(ref);
    if (parent) parents.push(parent);
  }
  return parents;
}

function newNode(step: StepDefinition, parents: readonly StepNode[]): StepNode {
  const named = namedSteps(step);
  const given = step.type === "job" ? step.depends_on : [];
  const others = onlyAncestors(named.outputs, step, parents);
  return {
    step,
    parents,
    reads: others.length === 0 ? given : [...new Set([...given, ...others])],
    statusRefs: onlyAncestors(named.statuses, step, parents),
    mayEndUnstarted: step.condition !== null || named.has_templates || step.type === "wait_for_event",
  };
}

/**
 * Only an ancestor is certain to have ended before. The status of a parallel step would depend on timing, so it is
 * missing.
 */
function onlyAncestors(named: Named, { depends_on }: StepDefinition, parents: readonly StepNode[]): string[] {
  if (named !== "all" && named.every((ref) => depends_on.includes(ref))) return [...named];
  const ancestors = collectAncestors(parents);
  return named === "all" ? [...ancestors] : named.filter((ref) => ancestors.has(ref));
}

function collectAncestors(parents: readonly StepNode[]): ReadonlySet<string> {
  const refs = new Set<string>();
  const left = [...parents];
  for (let node = left.pop(); node; node = left.pop()) {
    if (refs.has(node.step.step_ref)) continue;
    refs.add(node.step.step_ref);
    left.push(...node.parents);
  }
  return refs;
}

/** Depth first, so a definition that is written in order keeps its order. */
function sortSteps(steps: readonly StepDefinition[]): StepDefinition[] {
  const byRef = new Map(steps.map((step) => [step.step_ref, step]));
  const sorted = new Set<StepDefinition>();
  const visited = new Set<StepDefinition>();
  const visit = (step: StepDefinition) => {
    if (visited.has(step)) return;
    visited.add(step);
    for (const ref of step.depends_on) {
      const parent = byRef.get(ref);
      if (parent) visit(parent);
    }
    sorted.add(step);
  };
  for (const step of steps) visit(step);
  return [...sorted];
}

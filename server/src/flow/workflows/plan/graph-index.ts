import { listTemplatePaths } from "../../templates/check-template.ts";
import type { StepDefinition, WorkflowDefinition } from "./definition.ts";

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
type GraphIndex = { order: readonly StepNode[]; byRef: ReadonlyMap<string, StepNode> };

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

type NamedSteps = {
  /** Steps whose outputs are read. */
  outputs: Named;
  /** Steps whose status is read, as `steps.<ref>`. */
  statuses: Named;
  has_templates: boolean;
};

/** `all`: they are read as a whole, or by a computed name. */
type Named = readonly string[] | "all";

/** The steps that a step's templates and condition name. */
export function namedSteps(step: StepDefinition): NamedSteps {
  const paths = listTemplatePaths(templatesOf(step));
  const inTemplates = paths.map((path) => path.split(".")).filter(([root]) => root === "parent_outputs");
  const condition = step.condition ?? "";
  return {
    outputs: inTemplates.some((segments) => segments.length === 1)
      ? "all"
      : join(
          inTemplates.map(([, ref]) => ref ?? ""),
          namedIn(condition, "parent_outputs"),
        ),
    statuses: namedIn(condition, "steps"),
    has_templates: paths.length > 0,
  };
}

function join(refs: readonly string[], more: Named): Named {
  return more === "all" ? "all" : [...new Set([...refs, ...more])];
}

/** All strings of a step in which templates are rendered. */
function templatesOf(step: StepDefinition): unknown[] {
  switch (step.type) {
    case "job":
      return [step.payload, step.concurrency_key, step.event_emit_key];
    case "wait_for_event":
      return [step.event_key];
    case "sleep":
      return [];
    case "approval":
      return [step.message];
    case "map":
      return [step.items, step.payload];
    case "sub_workflow":
      return [step.payload];
  }
}

// By text, not by syntax: a name inside a string literal adds a step too many, never one too few.
function namedIn(condition: string, variable: "parent_outputs" | "steps"): Named {
  const mentions = condition.match(new RegExp(`\\b${variable}\\b`, "g"))?.length ?? 0;
  const named = [...condition.matchAll(new RegExp(`\\b${variable}\\b${FOLLOWED_BY_NAME}`, "g"))];
  return named.length === mentions ? named.map((match) => match[1] ?? match[2] ?? match[3] ?? "") : "all";
}

/** `.charge`, `["charge"]` or `['charge']`, and not the call of a macro. */
const FOLLOWED_BY_NAME = String.raw`\s*(?:\.\s*([A-Za-z_]\w*)\b(?!\s*\()|\[\s*(?:"([^"\\]*)"|'([^'\\]*)')\s*\])`;

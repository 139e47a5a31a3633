import type { ProblemError } from "@millrace/contract/schema/problem";
import type { StepInput } from "@millrace/contract/workflows/workflow-steps";
import {
  findTemplateProblems,
  hasTooManyTemplates,
  listTemplatePaths,
  tooManyTemplates,
} from "../../../flow/templates/check-template.ts";
import { splitTemplate } from "../../../flow/templates/template-parts.ts";
import { eventKeyIssue } from "../../../flow/waits/event-keys.ts";
import { indexLocation, keyLocation } from "../../../platform/json/json-location.ts";
import { MAX_TEMPLATE_LENGTH } from "./field-issues.ts";
import { earlyRead, type StepGraph, stepLocation } from "./step-graph.ts";

const ROOTS = ["payload", "parent_outputs"];

/** The step fields in which templates are rendered, and what they may read. */
const TEMPLATES = [
  { type: "job", name: "payload", roots: ROOTS, isEventKey: false },
  { type: "job", name: "concurrency_key", roots: ROOTS, isEventKey: false },
  { type: "job", name: "event_emit_key", roots: [...ROOTS, "output"], isEventKey: true },
  { type: "wait_for_event", name: "event_key", roots: ROOTS, isEventKey: true },
  { type: "approval", name: "message", roots: ROOTS, isEventKey: false },
  { type: "map", name: "items", roots: ROOTS, isEventKey: false },
  { type: "map", name: "payload", roots: [...ROOTS, "item", "index"], isEventKey: false },
  { type: "sub_workflow", name: "payload", roots: ROOTS, isEventKey: false },
] as const;

/**
 * Reports templates that cannot be rendered or that read what may not exist when the step starts, and keys that can
 * never be valid. Yields between its passes over a value: each takes 20 ms for 49,000 names.
 */
export function* templateIssues(graph: StepGraph, index: number): Generator<void, ProblemError[]> {
  const step = graph.steps[index] as StepInput;
  const issues: ProblemError[] = [];
  for (const field of TEMPLATES) {
    const isGiven = field.type === (step.type ?? "job") && step[field.name] !== undefined && step[field.name] !== null;
    if (isGiven) issues.push(...(yield* fieldIssues(graph, index, field)));
  }
  return issues;
}

function* fieldIssues(
  graph: StepGraph,
  index: number,
  { name, roots, isEventKey }: (typeof TEMPLATES)[number],
): Generator<void, ProblemError[]> {
  const value = graph.steps[index]?.[name];
  const location = `${stepLocation(index)}.${name}`;
  if (hasTooManyTemplates(value)) return [{ location, message: tooManyTemplates(location).message, value: null }];
  yield;
  const problems = findTemplateProblems(value, roots, location).map(({ location, message }) => ({ location, message }));
  yield;
  const found = [...problems, ...outputIssues(graph, index, value, location)];
  const keyIssue = isEventKey && problems.length === 0 ? staticIssue(value as string) : undefined;
  if (keyIssue !== undefined) found.push({ location, message: keyIssue });
  if (found.length === 0) return [];
  yield;
  const texts = new Map([...listTexts(value, location)].map(([text, at]) => [at, text.slice(0, 200)]));
  return found.map((issue) => ({ ...issue, value: texts.get(issue.location) ?? null }));
}

function outputIssues(graph: StepGraph, index: number, value: unknown, location: string) {
  return [...listTexts(value, location)].flatMap(([text, at]) =>
    listTemplatePaths(text).flatMap((path) => {
      const [root, ref] = path.split(".");
      const message =
        root === "parent_outputs" && ref ? earlyRead(graph, index, `parent_outputs.${ref}`, ref) : undefined;
      return message === undefined ? [] : [{ location: at, message }];
    }),
  );
}

function* listTexts(value: unknown, location: string): Generator<[text: string, location: string]> {
  if (typeof value === "string") yield [value, location];
  if (typeof value !== "object" || value === null) return;
  if (Array.isArray(value)) {
    for (const [i, item] of value.entries()) yield* listTexts(item, indexLocation(location, i));
    return;
  }
  for (const key of Object.keys(value)) {
    const field = (value as Record<string, unknown>)[key];
    // Numbers and the like need neither a location nor a generator.
    if (typeof field === "string" || typeof field === "object") yield* listTexts(field, keyLocation(location, key));
  }
}

/** The issues of an event key that hold whatever its templates render to. */
function staticIssue(source: string): string | undefined {
  if (source.length > MAX_TEMPLATE_LENGTH) return undefined;
  const { parts } = splitTemplate(source);
  const text = parts.map((part) => (part.kind === "text" ? part.text : "")).join("");
  const isOpen = parts.some((part) => part.kind === "path") && /^\.{0,2}$/.test(text);
  return isOpen ? undefined : eventKeyIssue(text);
}

import type { SchemaIssue } from "./issue-messages.ts";

/** The properties and items that the schemas applied to one value have evaluated, for `unevaluated…`. */
export type Seen = { properties: Set<string> | true; items: number | true };

/** The validation of one value. A step takes about 30 ns, so the budget bounds the time for any schema and value. */
export type Evaluation = {
  steps_left: number;
  depth: number;
  path: (string | number)[];
  issues: SchemaIssue[];
  /** Undefined if the schema has no `unevaluated…`. */
  seen: Seen | undefined;
  /** The resources entered so far, outermost first. Undefined if the schema has no `$dynamicRef`. */
  resources: string[] | undefined;
};

/** 10 to 20 ms. A body with the maximum of 50,000 values takes 300,000 where a schema types each of them. */
const STEPS_PER_VALUE = 450_000;
/** Depth of nested schemas: 64 levels of a value, with 15 schemas at each. */
const MAX_DEPTH = 1_000;
const STEPS_PER_ISSUE = 40;

export class TooCostly extends Error {}
export class TooDeep extends Error {}

export function newEvaluation(options: { tracks: boolean; isDynamic: boolean }): Evaluation {
  return {
    steps_left: STEPS_PER_VALUE,
    depth: 0,
    path: [],
    issues: [],
    seen: options.tracks ? nothingSeen() : undefined,
    resources: options.isDynamic ? [] : undefined,
  };
}

export function nothingSeen(): Seen {
  return { properties: new Set(), items: 0 };
}

export function spend(evaluation: Evaluation, steps: number): void {
  evaluation.steps_left -= steps;
  if (evaluation.steps_left < 0) throw new TooCostly();
}

export function deepen(evaluation: Evaluation): void {
  if (++evaluation.depth > MAX_DEPTH) throw new TooDeep();
}

export function fail(
  evaluation: Evaluation,
  keyword: string,
  data: unknown,
  params: Record<string, unknown> = {},
): void {
  spend(evaluation, STEPS_PER_ISSUE + 4 * evaluation.path.length);
  const instancePath = evaluation.path.map(pointerStep).join("");
  evaluation.issues.push({ keyword, instancePath, params, data });
}

function pointerStep(step: string | number): string {
  return typeof step === "number" ? `/${step}` : `/${step.replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

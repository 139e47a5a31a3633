import { type Evaluation, fail, spend } from "./evaluation.ts";
import { applyInPlace, type Check, type Fields, type SchemaNode } from "./schema-node.ts";

/** `not`, `anyOf`, `oneOf`, `allOf`, `if`: schemas applied to the same value. */
export function checkNot(node: SchemaNode): Check<unknown> {
  return (value, evaluation) => {
    const fits = tries(node, value, evaluation, "never");
    if (fits) fail(evaluation, "not", value);
  };
}

export function checkAllOf(nodes: readonly SchemaNode[]): Check<unknown> {
  return (value, evaluation) => {
    for (const node of nodes) applyInPlace(node, value, evaluation, "always");
  };
}

/** Once one matches, the others matter only for what they evaluate. */
export function checkAnyOf(nodes: readonly SchemaNode[]): Check<unknown> {
  return (value, evaluation) => {
    const before = evaluation.issues.length;
    let fits = false;
    for (const node of nodes) {
      if (fits && !evaluation.seen) break;
      if (applyInPlace(node, value, evaluation, "if it fits")) fits = true;
    }
    if (fits) evaluation.issues.length = before;
    else fail(evaluation, "anyOf", value);
  };
}

export function checkOneOf(nodes: readonly SchemaNode[]): Check<unknown> {
  return (value, evaluation) => {
    const before = evaluation.issues.length;
    const passing: number[] = [];
    for (const [i, node] of nodes.entries()) {
      if (applyInPlace(node, value, evaluation, "if it fits")) passing.push(i);
      if (passing.length === 2) break;
    }
    if (passing.length === 1) {
      evaluation.issues.length = before;
      return;
    }
    const passingSchemas = passing.length === 0 ? null : passing;
    fail(evaluation, "oneOf", value, { passingSchemas });
  };
}

export function checkIf(
  condition: SchemaNode,
  yes: SchemaNode | undefined,
  no: SchemaNode | undefined,
): Check<unknown> {
  return (value, evaluation) => {
    const isTrue = tries(condition, value, evaluation, "if it fits");
    const branch = isTrue ? yes : no;
    if (branch && !applyInPlace(branch, value, evaluation, "if it fits")) fail(evaluation, "if", value);
  };
}

export function checkDependentSchemas(entries: readonly (readonly [string, SchemaNode])[]): Check<Fields> {
  return (value, evaluation) => {
    spend(evaluation, entries.length);
    for (const [name, node] of entries)
      if (Object.hasOwn(value, name)) applyInPlace(node, value, evaluation, "if it fits");
  };
}

export function checkDependentRequired(
  keyword: string,
  entries: readonly (readonly [string, readonly string[]])[],
): Check<Fields> {
  return (value, evaluation) => {
    spend(evaluation, entries.length);
    for (const [property, names] of entries) {
      if (!Object.hasOwn(value, property)) continue;
      spend(evaluation, names.length);
      for (const missing of names) {
        if (Object.hasOwn(value, missing)) continue;
        const deps = names.join(", ");
        spend(evaluation, names.length + (deps.length >> 4));
        fail(evaluation, keyword, value, { property, missingProperty: missing });
      }
    }
  };
}

/** Discards its issues. */
function tries(node: SchemaNode, value: unknown, evaluation: Evaluation, keeps: "if it fits" | "never"): boolean {
  const before = evaluation.issues.length;
  const fits = applyInPlace(node, value, evaluation, keeps);
  evaluation.issues.length = before;
  return fits;
}

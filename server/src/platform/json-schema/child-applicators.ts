import { type Evaluation, fail, spend } from "./evaluation.ts";
import { applySchema, applyToChild, type Check, type Fields, type SchemaNode } from "./schema-node.ts";
import type { SchemaPattern } from "./schema-pattern.ts";

/** Schemas applied to the properties of an object or the items of a list. */
export function checkProperties(entries: readonly (readonly [string, SchemaNode])[]): Check<Fields> {
  return (value, evaluation) => {
    spend(evaluation, entries.length);
    for (const [name, node] of entries) {
      if (!Object.hasOwn(value, name)) continue;
      see(evaluation, name);
      applyToChild(node, name, value[name], evaluation);
    }
  };
}

export function checkPatternProperties(entries: readonly (readonly [SchemaPattern, SchemaNode])[]): Check<Fields> {
  return (value, evaluation) => {
    const names = Object.keys(value);
    for (const [pattern, node] of entries) {
      spend(evaluation, names.length);
      for (const name of names) {
        if (!pattern.matches(name, evaluation)) continue;
        see(evaluation, name);
        applyToChild(node, name, value[name], evaluation);
      }
    }
  };
}

/** Undefined: the schema is `false`, and each additional property is an issue of its own. */
export function checkAdditionalProperties(
  node: SchemaNode | undefined,
  known: ReadonlySet<string>,
  patterns: readonly SchemaPattern[],
): Check<Fields> {
  return (value, evaluation) => {
    for (const name of Object.keys(value)) {
      spend(evaluation, 2);
      if (known.has(name) || patterns.some((pattern) => pattern.matches(name, evaluation))) continue;
      if (node) applyToChild(node, name, value[name], evaluation);
      else
        fail(evaluation, "additionalProperties", value, {
          additionalProperty: name,
        });
    }
    if (evaluation.seen) evaluation.seen.properties = true;
  };
}

export function checkUnevaluatedProperties(node: SchemaNode | undefined): Check<Fields> {
  return (value, evaluation) => {
    const seen = evaluation.seen?.properties;
    if (seen === true) return;
    for (const name of Object.keys(value)) {
      spend(evaluation, 2);
      if (seen?.has(name)) continue;
      if (node) applyToChild(node, name, value[name], evaluation);
      else
        fail(evaluation, "unevaluatedProperties", value, {
          unevaluatedProperty: name,
        });
    }
    if (evaluation.seen) evaluation.seen.properties = true;
  };
}

export function checkPropertyNames(node: SchemaNode): Check<Fields> {
  return (value, evaluation) => {
    for (const name of Object.keys(value)) {
      if (applySchema(node, name, evaluation)) continue;
      fail(evaluation, "propertyNames", value, { propertyName: name });
    }
  };
}

export function checkPrefixItems(nodes: readonly SchemaNode[]): Check<unknown[]> {
  return (value, evaluation) => {
    for (const [i, node] of nodes.entries()) {
      if (i >= value.length) break;
      applyToChild(node, i, value[i], evaluation);
    }
    const { seen } = evaluation;
    if (seen && seen.items !== true) seen.items = Math.max(seen.items, nodes.length);
  };
}

/** The items after the first `from`. Undefined: the schema is `false`, and no items are allowed. */
export function checkItems(keyword: string, node: SchemaNode | undefined, from: number): Check<unknown[]> {
  return (value, evaluation) => {
    applyToRest(keyword, node, from, value, evaluation);
    if (evaluation.seen) evaluation.seen.items = true;
  };
}

export function checkUnevaluatedItems(node: SchemaNode | undefined): Check<unknown[]> {
  return (value, evaluation) => {
    const from = evaluation.seen?.items ?? 0;
    if (from === true) return;
    applyToRest("unevaluatedItems", node, from, value, evaluation);
    if (evaluation.seen) evaluation.seen.items = true;
  };
}

export function checkContains(node: SchemaNode, min: number, max: number | undefined): Check<unknown[]> {
  return (value, evaluation) => {
    if (evaluation.seen) evaluation.seen.items = true;
    const before = evaluation.issues.length;
    const enough = max === undefined ? min : max < min ? 0 : max + 1;
    let found = 0;
    for (let i = 0; i < value.length && found < enough; i++) if (applyToChild(node, i, value[i], evaluation)) found++;
    if (found >= min && (max === undefined || found <= max)) {
      evaluation.issues.length = before;
      return;
    }
    fail(evaluation, "contains", value, { minContains: min, maxContains: max });
  };
}

function applyToRest(
  keyword: string,
  node: SchemaNode | undefined,
  from: number,
  value: unknown[],
  evaluation: Evaluation,
): void {
  if (node) for (let i = from; i < value.length; i++) applyToChild(node, i, value[i], evaluation);
  else if (value.length > from) fail(evaluation, keyword, value, { limit: from });
}

function see({ seen }: Evaluation, name: string): void {
  if (seen && seen.properties !== true) seen.properties.add(name);
}

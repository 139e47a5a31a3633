import {
  ANY_ASSERTIONS,
  ARRAY_SIZES,
  ARRAY_UNIQUE,
  type CheckFactories,
  NUMBER_ASSERTIONS,
  OBJECT_ASSERTIONS,
  STRING_ASSERTIONS,
} from "./assertions.ts";
import * as children from "./child-applicators.ts";
import { type Evaluation, spend } from "./evaluation.ts";
import * as inPlace from "./in-place-applicators.ts";
import { applyInPlace, type Check, type Fields, KINDS, type SchemaNode } from "./schema-node.ts";
import type { SchemaPattern } from "./schema-pattern.ts";

/** The inputs for building the checks of a schema. */
export type Builder = {
  readonly schema: Fields;
  readonly node: SchemaNode;
  readonly isDraft07: boolean;
  /** The subschema of a keyword, the list of them, or the entries of a map of them; empty if absent. */
  sub(keyword: string): SchemaNode | undefined;
  list(keyword: string): SchemaNode[];
  entries(keyword: string): [string, SchemaNode][];
  reference(keyword: "$ref" | "$dynamicRef"): SchemaNode;
  dynamic(anchor: string, resource: string): SchemaNode | undefined;
  pattern(source: string): SchemaPattern;
};

/** Adds the checks of a schema to its node, in the order in which Ajv reports issues. */
export function addChecks(builder: Builder): void {
  const { node } = builder;
  addReferences(builder);
  addTo(node.any, ANY_ASSERTIONS, builder);
  addInPlace(builder);
  addTo(node.number, NUMBER_ASSERTIONS, builder);
  addTo(node.string, STRING_ASSERTIONS, builder);
  addArrayChecks(builder);
  addObjectChecks(builder);
  addType(builder);
  for (const keyword of ["$defs", "definitions"]) builder.entries(keyword);
}

function addTo<T>(checks: Check<T>[], makers: CheckFactories<T>, builder: Builder): void {
  for (const [keyword, make] of makers) {
    if (!Object.hasOwn(builder.schema, keyword)) continue;
    const check = make(builder.schema[keyword] as never, builder);
    if (check) checks.push(check);
  }
}

function addReferences(builder: Builder): void {
  const { schema, node, isDraft07 } = builder;
  if (!isDraft07 && schema.$dynamicRef !== undefined) addDynamicReference(builder);
  if (schema.$ref === undefined) return;
  const target = applied(node, builder.reference("$ref"));
  node.any.push((value, evaluation) => void applyInPlace(target, value, evaluation, "always"));
}

/** The outermost resource on the dynamic path with the anchor decides, if the initial target has it too. */
function addDynamicReference(builder: Builder): void {
  const { schema, node } = builder;
  const target = applied(node, builder.reference("$dynamicRef"));
  const anchor = String(schema.$dynamicRef).split("#")[1] ?? "";
  const isDynamic = builder.dynamic(anchor, target.resource) === target;
  node.any.push((value, evaluation) => {
    const chosen = isDynamic ? outermost(builder, anchor, evaluation) : undefined;
    applyInPlace(chosen ?? target, value, evaluation, "always");
  });
}

function outermost(builder: Builder, anchor: string, evaluation: Evaluation): SchemaNode | undefined {
  for (const resource of evaluation.resources ?? []) {
    spend(evaluation, 100);
    const node = builder.dynamic(anchor, resource);
    if (node) return node;
  }
  return undefined;
}

function addInPlace(builder: Builder): void {
  const { node } = builder;
  const not = builder.sub("not");
  if (not) node.any.push(inPlace.checkNot(applied(node, not)));
  const lists = { anyOf: inPlace.checkAnyOf, oneOf: inPlace.checkOneOf, allOf: inPlace.checkAllOf };
  for (const [keyword, check] of Object.entries(lists)) {
    const nodes = builder.list(keyword).map((each) => applied(node, each));
    if (nodes.length > 0) node.any.push(check(nodes));
  }
  const condition = builder.sub("if");
  const branches = [builder.sub("then"), builder.sub("else")] as const;
  if (!condition) return;
  for (const each of [condition, ...branches]) if (each) applied(node, each);
  node.any.push(inPlace.checkIf(condition, ...branches));
}

function addArrayChecks(builder: Builder): void {
  const { node, schema, isDraft07 } = builder;
  addTo(node.array, ARRAY_SIZES, builder);
  if (isDraft07) addDraft07Items(builder);
  else addItems(builder);
  const contains = builder.sub("contains");
  if (contains) {
    const { minContains = 1, maxContains } = isDraft07 ? {} : (schema as Record<string, number | undefined>);
    if (minContains > 0 || maxContains !== undefined)
      node.array.push(children.checkContains(contains, minContains, maxContains));
  }
  addTo(node.array, ARRAY_UNIQUE, builder);
  const rest = isDraft07 ? undefined : builder.sub("unevaluatedItems");
  if (rest) node.array.push(children.checkUnevaluatedItems(schema.unevaluatedItems === false ? undefined : rest));
}

function addItems(builder: Builder): void {
  const { node, schema } = builder;
  const prefix = builder.list("prefixItems");
  if (prefix.length > 0) node.array.push(children.checkPrefixItems(prefix));
  const items = builder.sub("items");
  if (!items) return;
  const isNone = schema.items === false && prefix.length > 0;
  node.array.push(children.checkItems("items", isNone ? undefined : items, prefix.length));
}

function addDraft07Items(builder: Builder): void {
  const { node, schema } = builder;
  if (!Array.isArray(schema.items)) {
    const items = builder.sub("items");
    if (items) node.array.push(children.checkItems("items", items, 0));
    return;
  }
  const tuple = builder.list("items");
  const rest = builder.sub("additionalItems");
  const isNone = schema.additionalItems === false;
  if (rest) node.array.push(children.checkItems("additionalItems", isNone ? undefined : rest, tuple.length));
  node.array.push(children.checkPrefixItems(tuple));
}

function addObjectChecks(builder: Builder): void {
  const { node, schema, isDraft07 } = builder;
  addTo(node.object, OBJECT_ASSERTIONS, builder);
  const names = builder.sub("propertyNames");
  if (names) node.object.push(children.checkPropertyNames(names));

  const properties = builder.entries("properties");
  const patterns = builder
    .entries("patternProperties")
    .map(([source, each]) => [builder.pattern(source), each] as const);
  const others = builder.sub("additionalProperties");
  if (others) {
    const known = new Set(properties.map(([name]) => name));
    const rest = schema.additionalProperties === false ? undefined : others;
    node.object.push(
      children.checkAdditionalProperties(
        rest,
        known,
        patterns.map(([pattern]) => pattern),
      ),
    );
  }
  addDependencies("dependencies", "dependencies", builder);
  if (properties.length > 0) node.object.push(children.checkProperties(properties));
  if (patterns.length > 0) node.object.push(children.checkPatternProperties(patterns));
  if (isDraft07) return;
  addDependencies("dependentRequired", "dependentSchemas", builder);
  const rest = builder.sub("unevaluatedProperties");
  if (!rest) return;
  node.object.push(children.checkUnevaluatedProperties(schema.unevaluatedProperties === false ? undefined : rest));
}

function addDependencies(names: string, schemas: string, builder: Builder): void {
  const { node, schema } = builder;
  const lists = Object.entries((schema[names] ?? {}) as object).filter((entry): entry is [string, string[]] =>
    Array.isArray(entry[1]),
  );
  if (lists.length > 0) node.object.push(inPlace.checkDependentRequired(names, lists));
  const entries = builder.entries(schemas);
  if (entries.length === 0) return;
  for (const [, each] of entries) applied(node, each);
  node.object.push(inPlace.checkDependentSchemas(entries));
}

/** The keywords that constrain values of one type: a type issue is reported where the first of them is. */
const KEYWORDS_OF: Record<string, readonly string[] | undefined> = {
  number: NUMBER_ASSERTIONS.map(([keyword]) => keyword),
  string: STRING_ASSERTIONS.map(([keyword]) => keyword),
  array: [
    "maxItems",
    "minItems",
    "prefixItems",
    "items",
    "additionalItems",
    "contains",
    "minContains",
    "maxContains",
  ].concat("uniqueItems", "unevaluatedItems"),
  object: [
    "maxProperties",
    "minProperties",
    "required",
    "propertyNames",
    "additionalProperties",
    "dependencies",
  ].concat("properties", "patternProperties", "dependentRequired", "dependentSchemas", "unevaluatedProperties"),
};
const KEYWORDS_OF_2020 = new Set(
  ["prefixItems", "minContains", "maxContains", "unevaluatedItems"].concat(
    "dependentRequired",
    "dependentSchemas",
    "unevaluatedProperties",
  ),
);

function addType({ node, schema, isDraft07 }: Builder): void {
  const { type, nullable } = schema;
  if (type === undefined) return;
  const types = new Set([type].flat() as string[]);
  if (nullable === true) types.add("null");
  const [only] = types.size === 1 ? types : [];
  const asks = (KEYWORDS_OF[only ?? ""] ?? []).some(
    (keyword) => Object.hasOwn(schema, keyword) && supports(keyword, isDraft07),
  );
  node.types = types;
  node.type = type;
  node.type_kind = asks ? KINDS[only as keyof typeof KINDS] : undefined;
}

function supports(keyword: string, isDraft07: boolean): boolean {
  return isDraft07 ? !KEYWORDS_OF_2020.has(keyword) : keyword !== "additionalItems";
}

/** Records that a schema is applied to the same value, for the cost. */
function applied(node: SchemaNode, other: SchemaNode): SchemaNode {
  node.in_place.push(other);
  return other;
}

import { indexLocation, keyLocation } from "../json/json-location.ts";
import { checkNothing } from "./assertions.ts";
import { findShapeIssue, isFields } from "./keyword-shapes.ts";
import { addChecks, type Builder } from "./node-checks.ts";
import { type Part, readSchemaDocument, type SchemaDocument } from "./schema-document.ts";
import type { Fields, SchemaNode } from "./schema-node.ts";
import { compileSchemaPattern, estimateSchemaPattern, type SchemaPattern } from "./schema-pattern.ts";

export type BuiltSchema = { root: SchemaNode; nodes: readonly SchemaNode[]; tracks: boolean; isDynamic: boolean };

/** Each takes 5 µs to build. 64 KB of typed properties are 2,300. */
const MAX_SUBSCHEMAS = 3_000;
/** For all patterns of a schema together, in instructions: each takes up to 8 µs to compile. */
const MAX_PATTERN_SIZE = 2_500;

/** Builds an untrusted schema: each part once, without recursion, and without generating code. */
export function buildSchema(schema: Fields, isDraft07: boolean): BuiltSchema {
  const document = readSchemaDocument(schema, "schema");
  const building: Building = { document, nodes: new Map(), queue: [], patterns: new Map(), pattern_size: 0 };
  const resource = document.resourceOf(schema) ?? "";
  const root = nodeOf({ value: schema, at: "schema", resource }, building);
  const keywords = new Set<string>();
  for (const { node, schema: each } of building.queue) {
    const issue = findShapeIssue(each, node.at, isDraft07);
    if (issue) throw new Error(`is not valid: ${issue.at} ${issue.message}`);
    for (const keyword of Object.keys(each)) keywords.add(keyword);
    addChecks(builderOf(node, each, isDraft07, building));
  }
  return {
    root,
    nodes: building.queue.map(({ node }) => node),
    tracks: !isDraft07 && (keywords.has("unevaluatedProperties") || keywords.has("unevaluatedItems")),
    isDynamic: !isDraft07 && keywords.has("$dynamicRef"),
  };
}

type Building = {
  document: SchemaDocument;
  nodes: Map<Fields, SchemaNode>;
  /** Grows during the build. */
  queue: { node: SchemaNode; schema: Fields }[];
  patterns: Map<string, SchemaPattern>;
  pattern_size: number;
};

function nodeOf({ value, at, resource }: Part, building: Building): SchemaNode {
  if (!isFields(value)) return newNode(at, resource, value === false ? [checkNothing] : []);
  const known = building.nodes.get(value);
  if (known) return known;
  const node = newNode(at, building.document.resourceOf(value) ?? resource, []);
  building.nodes.set(value, node);
  building.queue.push({ node, schema: value });
  if (building.queue.length > MAX_SUBSCHEMAS)
    throw new Error(`has more than ${MAX_SUBSCHEMAS} subschemas, the last of them at ${at}`);
  return node;
}

function newNode(at: string, resource: string, any: SchemaNode["any"]): SchemaNode {
  const lists = { any, number: [], string: [], array: [], object: [], in_place: [] };
  return { at, resource, types: undefined, type: undefined, type_kind: undefined, ...lists };
}

function builderOf(node: SchemaNode, schema: Fields, isDraft07: boolean, building: Building): Builder {
  const { at, resource } = node;
  const read = (keyword: string) => (Object.hasOwn(schema, keyword) ? schema[keyword] : undefined);
  return {
    schema,
    node,
    isDraft07,
    sub(keyword) {
      const value = read(keyword);
      return value === undefined ? undefined : nodeOf({ value, at: keyLocation(at, keyword), resource }, building);
    },
    list(keyword) {
      const values = read(keyword) as unknown[] | undefined;
      if (values === undefined) return [];
      const location = keyLocation(at, keyword);
      return values.map((value, i) => nodeOf({ value, at: indexLocation(location, i), resource }, building));
    },
    entries(keyword) {
      const values = read(keyword) as Fields | undefined;
      if (values === undefined) return [];
      const location = keyLocation(at, keyword);
      return Object.entries(values)
        .filter(([, value]) => !Array.isArray(value))
        .map(([name, value]) => [name, nodeOf({ value, at: keyLocation(location, name), resource }, building)]);
    },
    reference(keyword) {
      const reference = String(schema[keyword]);
      const part = building.document.find(reference, resource);
      if (part && (isFields(part.value) || typeof part.value === "boolean")) return nodeOf(part, building);
      const shown = reference.slice(0, 200);
      throw new Error(`refers to ${shown}, which is not in it; other documents are not fetched`);
    },
    dynamic(anchor, from) {
      const part = building.document.findDynamic(anchor, from);
      return part && nodeOf(part, building);
    },
    pattern: (source) => patternOf(source, at, building),
  };
}

function patternOf(source: string, at: string, building: Building): SchemaPattern {
  const known = building.patterns.get(source);
  if (known) return known;
  building.pattern_size += estimateSchemaPattern(source);
  if (building.pattern_size > MAX_PATTERN_SIZE && building.patterns.size > 0)
    throw new Error(`has patterns that repeat too much, the last of them at ${at}`);
  const pattern = compileSchemaPattern(source);
  building.patterns.set(source, pattern);
  return pattern;
}

import { indexLocation, keyLocation } from "../json/json-location.ts";
import { isFields } from "./keyword-shapes.ts";
import type { Fields } from "./schema-node.ts";

/** A part of a schema: its value, its path, and the resource it belongs to. */
export type Part = { value: unknown; at: string; resource: string };

/** The targets of `$ref` and `$dynamicRef` within a schema. Other documents are never fetched. */
export type SchemaDocument = {
  resourceOf(schema: Fields): string | undefined;
  find(reference: string, from: string): Part | undefined;
  /** The schema with this `$dynamicAnchor` in a resource. */
  findDynamic(anchor: string, resource: string): Part | undefined;
};

/** A schema without an `$id` is its own resource: no absolute reference points to it. */
const ANONYMOUS = "schema://nameless/";

export function readSchemaDocument(root: Fields, at: string): SchemaDocument {
  const index: Index = { resources: new Map(), anchors: new Map(), dynamic: new Map(), resourceOf: new Map() };
  indexPart({ value: root, at, resource: ANONYMOUS }, index);
  if (!index.resources.has(ANONYMOUS)) index.resources.set(ANONYMOUS, { value: root, at, resource: ANONYMOUS });
  return {
    resourceOf: (schema) => index.resourceOf.get(schema),
    find: (reference, from) => find(reference, from, index),
    findDynamic: (anchor, resource) => index.dynamic.get(`${resource}#${anchor}`),
  };
}

const MAX_URI_LENGTH = 1_000;

type Index = {
  resources: Map<string, Part>;
  anchors: Map<string, Part>;
  dynamic: Map<string, Part>;
  resourceOf: Map<Fields, string>;
};

/** Keywords that map names to schemas. A name may equal any keyword. */
const MAPS = new Set(["properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies"]);
/** Values in them are not schemas, whatever they look like. */
const NOT_SCHEMAS = new Set(["const", "enum", "default", "examples", "required", "type"]);

function indexPart(part: Part, index: Index): void {
  const { value, at } = part;
  if (Array.isArray(value)) {
    for (const [i, item] of value.entries())
      indexPart({ value: item, at: indexLocation(at, i), resource: part.resource }, index);
    return;
  }
  if (!isFields(value)) return;
  const resource = resourceBegunBy(value, part.resource) ?? part.resource;
  index.resourceOf.set(value, resource);
  const here = { value, at, resource };
  if (resource !== part.resource) put(index.resources, resource, here);
  if (typeof value.$id === "string" && value.$id.startsWith("#")) put(index.anchors, `${resource}${value.$id}`, here);
  for (const anchor of [value.$anchor, value.$dynamicAnchor])
    if (typeof anchor === "string") put(index.anchors, `${resource}#${anchor}`, here);
  if (typeof value.$dynamicAnchor === "string") index.dynamic.set(`${resource}#${value.$dynamicAnchor}`, here);
  for (const [key, child] of Object.entries(value)) {
    const location = keyLocation(at, key);
    if (MAPS.has(key) && isFields(child))
      for (const [name, each] of Object.entries(child))
        indexPart({ value: each, at: keyLocation(location, name), resource }, index);
    else if (!NOT_SCHEMAS.has(key)) indexPart({ value: child, at: location, resource }, index);
  }
}

function put(parts: Map<string, Part>, name: string, part: Part): void {
  if (parts.has(name)) throw new Error(`has two schemas named "${name.replace(ANONYMOUS, "")}"`);
  parts.set(name, part);
}

function resourceBegunBy(schema: Fields, outer: string): string | undefined {
  const { $id } = schema;
  if (typeof $id !== "string" || $id.startsWith("#")) return undefined;
  const uri = resolve($id, outer)?.[0];
  // It is part of each key and resolved again for each reference.
  if (uri !== undefined && uri.length > MAX_URI_LENGTH)
    throw new Error(`has an $id of more than ${MAX_URI_LENGTH} characters`);
  return uri;
}

/** The URI without its fragment, and the fragment. */
function resolve(reference: string, from: string): [string, string] | undefined {
  if (!URL.canParse(reference, from)) return undefined;
  const url = new URL(reference, from);
  const fragment = decode(url.hash.slice(1));
  url.hash = "";
  return fragment === undefined ? undefined : [url.href, fragment];
}

function find(reference: string, from: string, index: Index): Part | undefined {
  const [uri, fragment] = resolve(reference, from) ?? [];
  const resource = index.resources.get(uri ?? "");
  if (fragment === undefined || fragment === "") return resource;
  if (!fragment.startsWith("/")) return index.anchors.get(`${uri}#${fragment}`);
  return resource && follow(fragment, resource);
}

function follow(pointer: string, from: Part): Part | undefined {
  let part: Part | undefined = from;
  for (const step of pointer.split("/").slice(1)) {
    part = childOf(part, step.replaceAll("~1", "/").replaceAll("~0", "~"));
    if (!part) return undefined;
  }
  return part;
}

function childOf({ value, at, resource }: Part, key: string): Part | undefined {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
  const child = (value as Fields)[key];
  return {
    value: child,
    at: Array.isArray(value) ? indexLocation(at, Number(key)) : keyLocation(at, key),
    resource: isFields(child) ? (resourceBegunBy(child, resource) ?? resource) : resource,
  };
}

function decode(fragment: string): string | undefined {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return undefined;
  }
}

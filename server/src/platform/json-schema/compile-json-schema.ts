import type { ProblemError } from "@millrace/contract/schema/problem";
import { LRUCache } from "lru-cache";
import { type BuiltSchema, buildSchema } from "./build-schema.ts";
import { describeIssues } from "./describe-issues.ts";
import { newEvaluation, TooCostly, TooDeep } from "./evaluation.ts";
import { isFields } from "./keyword-shapes.ts";
import { applySchema, type SchemaNode } from "./schema-node.ts";

/** The message follows "the schema" and names the path: `schema.$defs.order`. */
type CompiledSchema = { ok: true; validate: (value: unknown) => ProblemError[] } | { ok: false; message: string };

const MAX_BYTES = 65_536;
const MAX_COMPILED = 500;

/**
 * A schema written by a user. It may be hostile, so it is bounded when it is saved (size, subschemas, expansion,
 * patterns) and interpreted under a step budget when it is used: compiling it to code, as Ajv does, takes half a second
 * for 64 KB of plain properties. No document is ever fetched. Issues have locations below the value: `.order.id`, or an
 * empty text for the value itself.
 */
export function compileJsonSchema(schema: unknown): CompiledSchema {
  try {
    const isDraft07 = readDialect(schema) === DRAFT_07;
    const built = buildSchema(schema as Record<string, unknown>, isDraft07);
    refuseExpansion(built.nodes);
    return { ok: true, validate: (value) => check(built, value) };
  } catch (error) {
    return { ok: false, message: error instanceof Error ? error.message : String(error) };
  }
}

/** Returns the issue of a schema about to be saved, if any. */
export function savedSchemaIssues(schema: object | null | undefined, location: string): ProblemError[] {
  const compiled = schema ? compileJsonSchema(schema) : undefined;
  return compiled?.ok === false ? [{ location, message: compiled.message, value: null }] : [];
}

/**
 * Returns the issues of a value, with locations that begin with `at`. `cacheKey` identifies the schema, which never
 * changes.
 */
export function schemaIssues(cacheKey: string, schema: object, value: unknown, at: string): ProblemError[] {
  const compiled = cache.get(cacheKey) ?? compileJsonSchema(schema);
  if (!compiled.ok)
    return [{ location: at, message: `cannot be checked: the schema ${compiled.message}`, value: null }];
  cache.set(cacheKey, compiled);
  return compiled.validate(value).map((issue) => ({ ...issue, location: `${at}${issue.location}` }));
}

const cache = new LRUCache<string, CompiledSchema & { ok: true }>({ max: MAX_COMPILED });

const DRAFT_07 = "http://json-schema.org/draft-07/schema";
const DRAFT_2020 = "https://json-schema.org/draft/2020-12/schema";

function readDialect(schema: unknown): string {
  if (!isFields(schema)) throw new Error("is not an object");
  if (Buffer.byteLength(JSON.stringify(schema)) > MAX_BYTES) throw new Error(`is larger than ${MAX_BYTES} bytes`);
  const { $schema = DRAFT_2020, $async } = schema;
  // Ajv's own keyword: its authors expect asynchronous checks.
  if ($async !== undefined) throw new Error("has $async, which is not JSON Schema");
  const dialect = String($schema).replace(/#$/, "");
  if (dialect === DRAFT_2020 || dialect === DRAFT_07) return dialect;
  throw new Error(`has a $schema that is neither ${DRAFT_2020} nor ${DRAFT_07}`);
}

function check({ root, tracks, isDynamic }: BuiltSchema, value: unknown): ProblemError[] {
  const evaluation = newEvaluation({ tracks, isDynamic });
  try {
    return applySchema(root, value, evaluation) ? [] : describeIssues(evaluation.issues, "");
  } catch (error) {
    if (error instanceof TooCostly) return [wholeValue(TOO_COSTLY)];
    if (error instanceof TooDeep) return [wholeValue(TOO_DEEP)];
    throw error;
  }
}

const TOO_COSTLY =
  "takes too many steps to check against the schema: it has too many values, or strings that are too long";
const TOO_DEEP = "cannot be checked: it is nested too deeply, or the schema refers to itself without end";

function wholeValue(message: string): ProblemError {
  return { location: "", message, value: null };
}

/** How many schemas may be applied to the same value. */
const MAX_EXPANSION = 2_000;

/**
 * Refuses a schema that applies too many schemas to one value by `$ref`, `allOf` and the like. Each is counted once and
 * its cost cached, so that 26 levels of two references, which are 67 million schemas, take 52 additions.
 */
function refuseExpansion(nodes: readonly SchemaNode[]): void {
  const costs = new Map<SchemaNode, number>();
  for (const node of nodes) costFrom(node, costs);
}

type Frame = { node: SchemaNode; next: number; cost: number };

/** Without recursion: references may form a chain of thousands. */
function costFrom(start: SchemaNode, costs: Map<SchemaNode, number>): void {
  if (costs.has(start)) return;
  const open = new Set([start]);
  const frames: Frame[] = [{ node: start, next: 0, cost: 1 }];
  for (let frame = frames.at(-1); frame; frame = frames.at(-1)) {
    const child = frame.node.in_place[frame.next];
    const known = child && costs.get(child);
    if (child === undefined) {
      if (frame.cost > MAX_EXPANSION) throw tooMany(frame);
      costs.set(frame.node, frame.cost);
      open.delete(frame.node);
      frames.pop();
    } else if (known !== undefined) {
      frame.next++;
      frame.cost += known;
    } else if (open.has(child)) {
      throw new Error(`refers to itself without end at ${frame.node.at}`);
    } else {
      open.add(child);
      frames.push({ node: child, next: 0, cost: 1 });
    }
  }
}

function tooMany({ node: { at }, cost }: Frame): Error {
  const why = `applies ${cost} subschemas to one value at ${at}, counted through $ref, allOf and the like`;
  return new Error(`${why}: at most ${MAX_EXPANSION}; apply fewer there, or move them below properties`);
}

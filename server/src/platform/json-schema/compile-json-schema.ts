import type { ProblemError } from "@millrace/contract/problem";
import { Ajv, type ErrorObject, type Options, type ValidateFunction } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { LRUCache } from "lru-cache";
import { describeFaults } from "./describe-faults.ts";
import { isLightValue, isPlainSchema } from "./light-work.ts";
import { re2Engine } from "./re2-engine.ts";
import { withinTime } from "./within-time.ts";

type CompiledSchema = { ok: true; validate: (value: unknown) => ProblemError[] } | { ok: false; message: string };

const MOST_BYTES = 65_536;
const MOST_COMPILED = 500;
const COMPILE_MS = 2_000;
const VALIDATE_MS = 100;

/**
 * A schema that a user wrote. It may be hostile, so nothing of it is shared with another: each gets an Ajv of its own,
 * since that keeps every `$id` it has seen. No document is ever fetched. Faults are told with locations below the
 * value: `.order.id`, or the empty text for the value itself.
 */
export function compileJsonSchema(schema: unknown): CompiledSchema {
  try {
    const text = JSON.stringify(schema);
    const { ajv, judge } = dialectOf(schema, text);
    if (!judge.validateSchema(schema as object)) throw new Error(`is not valid: ${describeFirst(judge.errors ?? [])}`);
    const compiled = withinTime(COMPILE_MS, () => ajv.compile(schema as object));
    if (!compiled) return { ok: false, message: "takes too long to compile" };
    const isPlain = isPlainSchema(text);
    return { ok: true, validate: (value) => check(compiled.value, isPlain && isLightValue(value), value) };
  } catch (error) {
    return { ok: false, message: reasonOf(error) };
  }
}

/** The faults of a value, with locations beginning with `at`. `cacheKey` names the schema, which never changes. */
export function schemaFaults(cacheKey: string, schema: object, value: unknown, at: string): ProblemError[] {
  const compiled = cache.get(cacheKey) ?? compileJsonSchema(schema);
  if (!compiled.ok)
    return [{ location: at, message: `cannot be checked: the schema ${compiled.message}`, value: null }];
  cache.set(cacheKey, compiled);
  return compiled.validate(value).map((fault) => ({ ...fault, location: `${at}${fault.location}` }));
}

/** No failures: what was saved has compiled once, so they would be those of a busy machine. */
const cache = new LRUCache<string, CompiledSchema & { ok: true }>({ max: MOST_COMPILED });

const DRAFT_07 = "http://json-schema.org/draft-07/schema";
const DRAFT_2020 = "https://json-schema.org/draft/2020-12/schema";

/** All faults are told. No inlining and no optimising: of 64 KB they make megabytes of code, or seconds of work. */
const OPTIONS: Options = {
  strict: false,
  allErrors: true,
  verbose: true,
  validateSchema: false,
  inlineRefs: false,
  logger: false,
  code: { regExp: re2Engine, optimize: false },
};

/** An Ajv for this schema alone, and the shared one that knows the rules of schemas. */
function dialectOf(schema: unknown, text: string) {
  if (typeof schema !== "object" || schema === null) throw new Error("is not an object");
  if (Buffer.byteLength(text) > MOST_BYTES) throw new Error(`is larger than ${MOST_BYTES} bytes`);
  const { $schema = DRAFT_2020, $async } = schema as { $schema?: unknown; $async?: unknown };
  // Ajv's own: checks would be promises, which nobody here waits for.
  if ($async !== undefined) throw new Error("has $async, which is not JSON Schema");
  const dialect = String($schema).replace(/#$/, "");
  if (dialect === DRAFT_2020) return { ajv: withFormats(new Ajv2020(OPTIONS)), judge: judgeOf2020() };
  if (dialect === DRAFT_07) return { ajv: withFormats(new Ajv(OPTIONS)), judge: judgeOfDraft07() };
  throw new Error(`has a $schema that is neither ${DRAFT_2020} nor ${DRAFT_07}`);
}

/** Made at first use: that takes 60 ms. */
const judgeOf2020 = once(() => withFormats(new Ajv2020({ strict: false, logger: false })));
const judgeOfDraft07 = once(() => withFormats(new Ajv({ strict: false, logger: false })));

function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

function withFormats<T extends Ajv | Ajv2020>(ajv: T): T {
  addFormats.default(ajv);
  return ajv;
}

function describeFirst(errors: ErrorObject[]): string {
  const [first] = describeFaults(errors, "schema");
  return first ? `${first.location} ${first.message}` : "no reason given";
}

function reasonOf(error: unknown): string {
  if (error instanceof RangeError) return "has too many branches to compile";
  if (error instanceof Ajv.MissingRefError)
    return `refers to ${error.missingRef}, which is not in it; other documents are not fetched`;
  return error instanceof Error ? error.message : String(error);
}

/** Forty lines of `allOf` and `$ref` can ask for work without end, so where that may be the check is watched. */
function check(validate: ValidateFunction, isHarmless: boolean, value: unknown): ProblemError[] {
  try {
    const done = isHarmless ? { value: validate(value) } : watched(() => validate(value));
    if (!done) return [wholeValue("takes too long to check against the schema")];
    return done.value ? [] : describeFaults(validate.errors ?? [], "");
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return [wholeValue("cannot be checked: it is nested too deep, or the schema refers to itself without end")];
  }
}

/** Twice: it may have been the machine that was busy. */
function watched<T>(work: () => T): { value: T } | undefined {
  return withinTime(VALIDATE_MS, work) ?? withinTime(VALIDATE_MS, work);
}

function wholeValue(message: string): ProblemError {
  return { location: "", message, value: null };
}

import { Ajv } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { describe, expect, it } from "vitest";
import { randomFrom, testSeed } from "../../../test/seed/seed.ts";
import { sizeOf } from "../../../test/world/size.ts";
import { compileJsonSchema } from "./compile-json-schema.ts";
import { describeIssues } from "./describe-issues.ts";

const DRAFT_07 = "http://json-schema.org/draft-07/schema#";
const ROUNDS = sizeOf(80, 50_000);

const OPTIONS = { strict: false, allErrors: true, verbose: true, logger: false, validateSchema: false } as const;
const ajv07 = addFormats.default(new Ajv(OPTIONS));
const ajv2020 = addFormats.default(new Ajv2020(OPTIONS) as unknown as Ajv);

/** Ajv is the oracle: the same issues in the same order. */
function issuesByAjv(schema: Record<string, unknown>, value: unknown) {
  const ajv = schema.$schema === DRAFT_07 ? ajv07 : ajv2020;
  try {
    const validate = ajv.compile(schema);
    return validate(value) ? [] : describeIssues(validate.errors ?? [], "");
  } finally {
    ajv.removeSchema(schema);
  }
}

/** Some of the code that Ajv generates for patternProperties throws a TypeError. */
function tryAjv(schema: Record<string, unknown>, value: unknown) {
  try {
    return issuesByAjv(schema, value);
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

function issues(schema: Record<string, unknown>, value: unknown) {
  const compiled = compileJsonSchema(schema);
  if (!compiled.ok) throw new Error(compiled.message);
  return compiled.validate(value);
}

class Random {
  readonly next: () => number;
  constructor(seed: number) {
    this.next = randomFrom(seed);
  }
  below = (count: number) => Math.floor(this.next() * count);
  chance = (share: number) => this.next() < share;
  of = <T>(list: readonly T[]): T => list[this.below(list.length)] as T;
  some = <T>(count: number, make: () => T): T[] => Array.from({ length: this.below(count) + 1 }, make);
}

const NAMES = ["a", "b", "ab", "x-1"];
const TEXTS = ["", "a", "ab", "2030-01-01", "a@b.de", "😀😀", "x-1"];

function randomValue(random: Random, depth: number): unknown {
  const kind = random.below(depth > 0 ? 8 : 5);
  if (kind === 0) return random.of(TEXTS);
  if (kind === 1) return random.of([0, 1, 2, 3, 4.5, -1]);
  if (kind === 2) return random.of([true, false]);
  if (kind === 3) return null;
  if (kind === 4) return random.of([{}, []]);
  if (kind === 5) return random.some(3, () => randomValue(random, depth - 1));
  return Object.fromEntries(random.some(3, () => [random.of(NAMES), randomValue(random, depth - 1)]));
}

const TYPES = ["array", "boolean", "integer", "null", "number", "object", "string"];

/**
 * Unevaluated properties are compared by verdict only, since Ajv reports some of them twice. Unevaluated items are
 * excluded: Ajv also counts items evaluated only by a `oneOf` branch that does not match.
 */
function randomSchema(random: Random, depth: number, is07: boolean, unevaluated: boolean): unknown {
  if (depth <= 0 || random.chance(0.05)) return random.of([true, false, {}, { type: random.of(TYPES) }]);
  const sub = () => randomSchema(random, depth - 1, is07, unevaluated);
  const subs = () => random.some(3, sub);
  const map = () => Object.fromEntries(random.some(3, () => [random.of(NAMES), sub()]));
  const keywords: Record<string, () => unknown> = {
    type: () => (random.chance(0.7) ? random.of(TYPES) : [...new Set(random.some(3, () => random.of(TYPES)))]),
    const: () => randomValue(random, 1),
    enum: () => random.some(4, () => randomValue(random, 1)),
    maximum: () => random.below(4),
    minimum: () => random.below(4),
    exclusiveMaximum: () => random.below(4),
    exclusiveMinimum: () => random.below(4),
    multipleOf: () => random.of([1, 2, 1.5]),
    maxLength: () => random.below(3),
    minLength: () => random.below(3),
    pattern: () => random.of(["^a", "b$", "\\d+"]),
    format: () => random.of(["date", "email", "int32", "of-our-own"]),
    maxItems: () => random.below(3),
    minItems: () => random.below(3),
    uniqueItems: () => true,
    contains: sub,
    maxProperties: () => random.below(3),
    minProperties: () => random.below(3),
    required: () => [...new Set(random.some(3, () => random.of(NAMES)))],
    propertyNames: sub,
    properties: map,
    patternProperties: () => ({ [random.of(["^a", "b$"])]: sub(), "^x-": sub() }),
    additionalProperties: sub,
    allOf: subs,
    anyOf: subs,
    oneOf: subs,
    not: sub,
    if: sub,
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: sub,
    else: sub,
    $ref: () => random.of(["#/$defs/a", "#/$defs/b", "#anchored"]),
    dependencies: () => ({ a: ["b"], b: sub() }),
    ...(is07
      ? { items: () => (random.chance(0.5) ? sub() : subs()), additionalItems: sub }
      : {
          prefixItems: subs,
          items: sub,
          minContains: () => random.below(3),
          maxContains: () => random.below(3),
          dependentRequired: () => ({ a: ["b", "ab"] }),
          dependentSchemas: map,
          ...(unevaluated && { unevaluatedProperties: sub }),
        }),
  };
  const names = random.some(4, () => random.of(Object.keys(keywords)));
  return Object.fromEntries([...new Set(names)].map((name) => [name, keywords[name]?.()]));
}

function randomCase(random: Random, unevaluated: boolean) {
  const is07 = random.chance(0.3);
  const root = randomSchema(random, 3, is07, unevaluated);
  const schema = {
    ...(typeof root === "object" ? (root as Record<string, unknown>) : { allOf: [root] }),
    ...(is07 && { $schema: DRAFT_07 }),
    $defs: {
      a: { type: random.of(TYPES) },
      b: { properties: { a: { $ref: "#/$defs/a" }, b: { $ref: "#" } }, minProperties: 1 },
      c: is07 ? { $id: "#anchored", minimum: 1 } : { $anchor: "anchored", minimum: 1 },
    },
  };
  return { schema, value: randomValue(random, 3) };
}

describe("a schema of random keywords", () => {
  const random = new Random(testSeed("compile-json-schema.fuzz"));

  it("reports what Ajv reports, in the same order and words", () => {
    let refused = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const { schema, value } = randomCase(random, false);
      const found = issues(schema, value);
      if (found.length > 0) refused++;
      const byAjv = tryAjv(schema, value);
      if (byAjv) expect({ schema, value, found }).toEqual({ schema, value, found: withoutTwin(byAjv) });
    }
    // Far below the usual share, so that no seed fails by chance.
    expect(refused).toBeGreaterThan(ROUNDS / 12);
  });

  it("gives Ajv's verdict on unevaluated properties", () => {
    for (let round = 0; round < ROUNDS; round++) {
      const { schema, value } = randomCase(random, true);
      const fits = issues(schema, value).length === 0;
      const byAjv = tryAjv(schema, value);
      if (byAjv) expect({ schema, value, fits }).toEqual({ schema, value, fits: byAjv.length === 0 });
    }
  });
});

/** Of equal items of one plain type Ajv names the later one first. */
function withoutTwin(found: ReturnType<typeof describeIssues>) {
  return found.map((issue) => ({
    ...issue,
    message: issue.message.replace(/^has duplicate items: \[(\d+)\] and \[(\d+)\]$/, (_, a, b) => {
      const [first, second] = [Number(a), Number(b)].sort((x, y) => x - y);
      return `has duplicate items: [${first}] and [${second}]`;
    }),
  }));
}

import { fullFormats } from "ajv-formats/dist/formats.js";
import { type Evaluation, fail, spend } from "./evaluation.ts";
import type { Check, Fields } from "./schema-node.ts";
import type { SchemaPattern } from "./schema-pattern.ts";
import { findEqualItems, sameValues, weighValue } from "./value-equality.ts";

/** Builds the check of a keyword, or undefined where it has no constraint. */
type CheckFactory<T> = (wanted: never, tools: { pattern(source: string): SchemaPattern }) => Check<T> | undefined;
export type CheckFactories<T> = readonly (readonly [keyword: string, make: CheckFactory<T>])[];

/** Keywords without subschemas, in the order in which they are checked. */
export const NUMBER_ASSERTIONS: CheckFactories<number> = [
  ["maximum", limit("maximum", (value, wanted) => value <= wanted)],
  ["minimum", limit("minimum", (value, wanted) => value >= wanted)],
  ["exclusiveMaximum", limit("exclusiveMaximum", (value, wanted) => value < wanted)],
  ["exclusiveMinimum", limit("exclusiveMinimum", (value, wanted) => value > wanted)],
  [
    "multipleOf",
    (wanted: number) => (value, evaluation) => {
      if (!Number.isInteger(value / wanted)) fail(evaluation, "multipleOf", value, { multipleOf: wanted });
    },
  ],
  ["format", (name: string) => checkFormat(name, "number")],
];

export const STRING_ASSERTIONS: CheckFactories<string> = [
  ["maxLength", size("maxLength", countCharacters)],
  ["minLength", size("minLength", countCharacters)],
  [
    "pattern",
    (source: string, tools) => {
      const pattern = tools.pattern(source);
      return (value, evaluation) => {
        if (!pattern.matches(value, evaluation)) fail(evaluation, "pattern", value, { pattern: source });
      };
    },
  ],
  ["format", (name: string) => checkFormat(name, "string")],
];

export const ARRAY_SIZES: CheckFactories<unknown[]> = [
  ["maxItems", size("maxItems", (value) => value.length)],
  ["minItems", size("minItems", (value) => value.length)],
];

export const ARRAY_UNIQUE: CheckFactories<unknown[]> = [
  ["uniqueItems", (wanted: boolean) => (wanted ? checkUnique : undefined)],
];

export const OBJECT_ASSERTIONS: CheckFactories<Fields> = [
  ["maxProperties", size("maxProperties", countProperties)],
  ["minProperties", size("minProperties", countProperties)],
  [
    "required",
    (names: string[]) => (value, evaluation) => {
      spend(evaluation, names.length);
      for (const name of names) if (!Object.hasOwn(value, name)) failMissing(name, value, evaluation);
    },
  ],
];

export const ANY_ASSERTIONS: CheckFactories<unknown> = [
  [
    "const",
    (wanted: unknown) => (value, evaluation) => {
      if (!sameValues(value, wanted, evaluation)) fail(evaluation, "const", value, { allowedValue: wanted });
    },
  ],
  ["enum", (allowed: unknown[]) => checkEnum(allowed)],
];

function limit(keyword: string, fits: (value: number, wanted: number) => boolean): CheckFactory<number> {
  return (wanted: number) => (value, evaluation) => {
    if (!fits(value, wanted)) fail(evaluation, keyword, value, { limit: wanted });
  };
}

function size<T>(
  keyword: `${"max" | "min"}${string}`,
  count: (value: T, evaluation: Evaluation) => number,
): CheckFactory<T> {
  return (wanted: number) => (value, evaluation) => {
    const found = count(value, evaluation);
    const isWrong = keyword.startsWith("max") ? found > wanted : found < wanted;
    if (isWrong) fail(evaluation, keyword, value, { limit: wanted });
  };
}

/** Code points, as JSON Schema counts length. */
function countCharacters(value: string, evaluation: Evaluation): number {
  spend(evaluation, value.length >> 3);
  let pairs = 0;
  for (let i = 0; i < value.length - 1; i++) {
    const isHigh = (value.charCodeAt(i) & 0xfc00) === 0xd800;
    if (isHigh && (value.charCodeAt(i + 1) & 0xfc00) === 0xdc00) pairs++;
  }
  return value.length - pairs;
}

function countProperties(value: Fields, evaluation: Evaluation): number {
  const { length } = Object.keys(value);
  spend(evaluation, length);
  return length;
}

function failMissing(name: string, value: Fields, evaluation: Evaluation): void {
  fail(evaluation, "required", value, { missingProperty: name });
}

function checkUnique(value: unknown[], evaluation: Evaluation): void {
  const found = findEqualItems(value, evaluation);
  if (!found) return;
  fail(evaluation, "uniqueItems", value, found);
}

function checkEnum(allowed: unknown[]): Check<unknown> {
  const plain = new Set(allowed.filter((value) => typeof value !== "object" || value === null));
  const others = allowed.filter((value) => typeof value === "object" && value !== null);
  const weight = others.reduce<number>((sum, value) => sum + weighValue(value), 0);
  return (value, evaluation) => {
    const isPlain = typeof value !== "object" || value === null;
    if (!isPlain) spend(evaluation, weight);
    if (isPlain ? plain.has(value) : others.some((other) => sameValues(value, other, evaluation))) return;
    fail(evaluation, "enum", value, { allowedValues: allowed });
  };
}

/** For the schema `false`, which no value matches. */
export const checkNothing: Check<unknown> = (value, evaluation) => fail(evaluation, "false schema", value);

/** Returns the check of a format, or undefined where it is unknown or for values of another type. */
function checkFormat<T extends string | number>(name: string, type: "string" | "number"): Check<T> | undefined {
  const format = Object.hasOwn(fullFormats, name) ? fullFormats[name as keyof typeof fullFormats] : true;
  const isForNumbers = typeof format === "object" && "type" in format && format.type === "number";
  if (format === true || isForNumbers !== (type === "number")) return undefined;
  const test = testOf(format);
  return (value, evaluation) => {
    if (typeof value === "string") spend(evaluation, 10 + stepsFor(name, value.length));
    if (!test(value)) fail(evaluation, "format", value, { format: name });
  };
}

type Tester = RegExp | ((value: never) => boolean);

function testOf(format: Exclude<(typeof fullFormats)[keyof typeof fullFormats], boolean>) {
  const tester = (typeof format === "object" && "validate" in format ? format.validate : format) as Tester;
  if (tester instanceof RegExp) return (value: unknown) => tester.test(String(value));
  return tester as (value: unknown) => boolean;
}

/**
 * The expressions of ajv-formats take up to 0.15 µs per character; that of `url` is quadratic: 100 KB of adversarial
 * text took 16 s, 2 µs for each pair of characters.
 */
function stepsFor(name: string, length: number): number {
  return name === "url" ? Math.ceil(length ** 2 / 12) : 5 * length;
}

import { fullFormats } from "ajv-formats/dist/formats.js";
import { fail, spend } from "./evaluation.ts";
import type { Check } from "./schema-node.ts";

/** Returns the check of a format, or undefined where it is unknown or for values of another type. */
export function checkFormat<T extends string | number>(name: string, type: "string" | "number"): Check<T> | undefined {
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

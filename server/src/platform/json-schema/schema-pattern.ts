import { RE2JS } from "re2js";
import { compilePattern, patternSize } from "../cel/linear-regex.ts";
import { type Evaluation, spend } from "./evaluation.ts";

export type SchemaPattern = { size: number; matches(text: string, evaluation: Evaluation): boolean };

/**
 * A regular expression of a user's schema, matched in time linear in the text. Throws on JavaScript patterns that RE2
 * lacks (look-around, back-references).
 */
export function compileSchemaPattern(source: string): SchemaPattern {
  const pattern = compilePattern(RE2JS.translateRegExp(source));
  const size = pattern.programSize();
  return {
    size,
    matches(text, evaluation) {
      spend(evaluation, 40 + STEPS_PER_CHARACTER * size * text.length);
      return pattern.test(text);
    },
  };
}

/** Upper bound of its size, without compiling it. */
export function estimateSchemaPattern(source: string): number {
  return patternSize(RE2JS.translateRegExp(source));
}

/** Where neither the one-pass matcher nor the automaton works, RE2JS takes 0.1 µs per character and instruction. */
const STEPS_PER_CHARACTER = 4;

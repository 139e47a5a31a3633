import { RE2JS } from "re2js";
import { compilePattern } from "../cel/linear-regex.ts";

/**
 * The regular expressions of a user's schema, matched in time linear in the text. A pattern of JavaScript's that RE2
 * does not have (look-around, back-references) throws. `toString` must tell them apart: Ajv keeps them by it.
 */
export function re2Engine(source: string) {
  const translated = RE2JS.translateRegExp(source);
  compilePattern(translated);
  // Its own, and not the shared one: a check that is cut off must leave nothing half-done where others look.
  const own = RE2JS.compile(translated);
  return { test: (text: string) => own.test(text), toString: () => source };
}

/** Only for code that is written out, which ours never is. */
re2Engine.code = "re2Engine";

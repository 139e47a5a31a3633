import { expect, test } from "vitest";
import { findBadText } from "./find-bad-text.ts";

test.each([
  ["", undefined],
  ["order:42 é 😀\n", undefined],
  ["a\u0000b", "contains the character U+0000 at position 1"],
  ["\ud83d", "contains a lone surrogate at position 0"],
  ["😀\ude00", "contains a lone surrogate at position 2"],
])("%j", (value, expected) => {
  expect(findBadText(value)).toBe(expected);
});

import { parseTag } from "@millrace/contract/query-language/tag-filter";
import { describe, expect, it } from "vitest";

describe("a tag filter", () => {
  it.each([
    ["region", "region", null],
    ["region:eu", "region", "eu"],
    ["region:eu:west", "region", "eu:west"],
    ["region:", "region", ""],
    [":eu", "", "eu"],
    ["a\\:b", "a:b", null],
    ["a\\:b:c\\:d", "a:b", "c\\:d"],
    ["a\\\\:b", "a\\", "b"],
    ["a\\b:c", "a\\b", "c"],
    ["a\\", "a\\", null],
    ["two\nlines:a\nb", "two\nlines", "a\nb"],
  ])("%j selects the key %j and the value %j", (text, key, value) => {
    expect(parseTag(text)).toEqual({ key, value });
  });
});

import { describe, expect, it } from "vitest";
import { listReads } from "./list-reads.ts";

const reads = (source: string) => listReads(source).map(({ root, name }) => `${root}.${name}`);

describe("the names an expression reads below its variables", () => {
  it.each<[string, string[]]>([
    ["steps.a.status == 'failed'", ["steps.a"]],
    ['steps["a-b"].status == "failed"', ["steps.a-b"]],
    ["has(parent_outputs.a.b.c)", ["parent_outputs.a"]],
    ["payload.items.exists(i, i.id == parent_outputs.a.id)", ["payload.items", "i.id", "parent_outputs.a"]],
    ["!(steps.a.ok) || -payload.n < 1 ? steps.b.ok : true", ["steps.a", "payload.n", "steps.b"]],
    ["[steps.a, {'k': steps.b}].size() > 1", ["steps.a", "steps.b"]],
    ["steps[payload.name].ok", ["payload.name"]],
    ["size(steps) > 1", []],
    ["'steps.a' == payload.text", ["payload.text"]],
  ])("%s", (source, expected) => {
    expect(reads(source).toSorted()).toEqual(expected.toSorted());
  });
});

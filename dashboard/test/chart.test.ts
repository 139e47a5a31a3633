import { describe, expect, it } from "vitest";
import { alone } from "../src/parts/alone.ts";

describe("a line over time", () => {
  it("marks a value that has none beside it, wherever it stands: it would make no line", () => {
    expect(alone([null, 4, null, 2, 3, null, 0])).toEqual([1, 6]);
    expect(alone([7])).toEqual([0]);
    expect(alone([1, 2, 3])).toEqual([]);
  });
});

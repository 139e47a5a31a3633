import { describe, expect, it } from "vitest";
import { alone } from "../src/parts/overlay/alone.ts";

describe("line chart", () => {
  it("marks isolated values, which a line cannot show", () => {
    expect(alone([null, 4, null, 2, 3, null, 0])).toEqual([1, 6]);
    expect(alone([7])).toEqual([0]);
    expect(alone([1, 2, 3])).toEqual([]);
  });
});

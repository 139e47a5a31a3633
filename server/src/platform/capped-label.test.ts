import { describe, expect, it } from "vitest";
import { cappedLabel } from "./capped-label.ts";

describe("a capped label", () => {
  it("lets the first values through for good, and calls every later one other", () => {
    const label = cappedLabel(2);
    expect(["a", "b", "c", "a", "b", "d", "c"].map(label)).toEqual(["a", "b", "other", "a", "b", "other", "other"]);
  });

  it("of none lets none through", () => {
    expect(cappedLabel(0)("a")).toBe("other");
  });
});

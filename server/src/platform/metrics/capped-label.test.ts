import { describe, expect, it } from "vitest";
import { cappedLabel } from "./metrics.ts";

describe("a capped label", () => {
  it("keeps the first values for good, and replaces every later one by other", () => {
    const label = cappedLabel(2);
    expect(["a", "b", "c", "a", "b", "d", "c"].map(label)).toEqual(["a", "b", "other", "a", "b", "other", "other"]);
  });

  it("with a limit of zero replaces every value", () => {
    expect(cappedLabel(0)("a")).toBe("other");
  });
});

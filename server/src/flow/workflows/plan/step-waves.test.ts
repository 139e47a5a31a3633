import { describe, expect, it } from "vitest";
import { stepWaves } from "./step-waves.ts";

const step = (step_ref: string, ...depends_on: string[]) => ({ step_ref, depends_on });

describe("stepWaves", () => {
  it("W9 puts a step into the wave after the last of its dependencies, as defined", () => {
    const steps = [step("end", "left", "right"), step("right", "root"), step("left", "middle"), step("middle", "root")];
    expect(stepWaves([...steps, step("root"), step("alone")])).toEqual([
      ["root", "alone"],
      ["right", "middle"],
      ["left"],
      ["end"],
    ]);
  });

  it("places neither a step in a cycle nor one after it", () => {
    expect(stepWaves([step("a", "b"), step("b", "a"), step("c", "b"), step("d")])).toEqual([["d"]]);
    expect(stepWaves([step("a", "a")])).toEqual([]);
  });

  it("ignores unknown and repeated names; of two steps with one name the first is placed", () => {
    expect(stepWaves([step("a", "nobody"), step("b", "a", "a"), step("a", "b")])).toEqual([["a"], ["b"]]);
  });

  it("returns none for no steps", () => {
    expect(stepWaves([])).toEqual([]);
  });
});

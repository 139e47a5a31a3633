import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { randomGraph, type Thrown } from "../../../../test/oracles/random-graph.ts";
import { testSeed } from "../../../../test/seed/seed.ts";
import { jobStep, workflow } from "../../../../test/seed/workflow-definition.ts";
import { sizeOf } from "../../../../test/world/size.ts";
import { criticalPath, type TimedStep } from "./critical-path.ts";

fc.configureGlobal({ seed: testSeed("critical-path") });

const diamond = workflow([
  jobStep("start"),
  jobStep("quick", { depends_on: ["start"] }),
  jobStep("slow", { depends_on: ["start"] }),
  jobStep("join", { depends_on: ["quick", "slow"] }),
]);

type Given = [status: TimedStep["status"], duration_ms: number | null, estimate_ms?: number | null];

function timed(given: Record<string, Given>): Map<string, TimedStep> {
  const read = ([status, duration_ms, estimate_ms = null]: Given) => ({ status, duration_ms, estimate_ms });
  return new Map(Object.entries(given).map(([ref, each]) => [ref, read(each)]));
}

describe("W12 the critical path", () => {
  it("before the start uses estimates alone", () => {
    const steps = timed({
      start: ["pending", null, 100],
      quick: ["pending", null, 50],
      slow: ["pending", null, 500],
      join: ["pending", null, 10],
    });
    expect(criticalPath(diamond, steps, false)).toEqual({
      basis: "estimates",
      step_refs: ["start", "slow", "join"],
      estimate_ms: 610,
      remaining_ms: 610,
      unestimated: [],
    });
  });

  it("without a history still leads to the end, without a length", () => {
    const steps = timed({
      start: ["running", 3],
      quick: ["pending", null],
      slow: ["pending", null],
      join: ["pending", null],
    });
    expect(criticalPath(diamond, steps, false)).toEqual({
      basis: "estimates",
      step_refs: ["start", "quick", "join"],
      estimate_ms: null,
      remaining_ms: null,
      unestimated: ["start", "quick", "slow", "join"],
    });
  });

  it("during the run uses actual durations, and the remaining estimate of a running step", () => {
    const steps = timed({
      start: ["completed", 300, 100],
      quick: ["running", 40, 50],
      slow: ["running", 40, 500],
      join: ["pending", null, 10],
    });
    expect(criticalPath(diamond, steps, false)).toMatchObject({ estimate_ms: 810, remaining_ms: 470 });
  });

  it("a step that exceeds its estimate moves the path, and has nothing remaining", () => {
    const steps = timed({
      start: ["completed", 100, 100],
      quick: ["running", 900, 50],
      slow: ["completed", 500, 500],
      join: ["pending", null, 10],
    });
    expect(criticalPath(diamond, steps, false)).toMatchObject({
      step_refs: ["start", "quick", "join"],
      estimate_ms: 1_010,
      remaining_ms: 10,
    });
  });

  it("has no length while a future step has no estimate, and names it", () => {
    const steps = timed({
      start: ["completed", 100],
      quick: ["running", 20],
      slow: ["pending", null, 500],
      join: ["pending", null],
    });
    expect(criticalPath(diamond, steps, false)).toEqual({
      basis: "estimates",
      step_refs: ["start", "slow", "join"],
      estimate_ms: null,
      remaining_ms: null,
      unestimated: ["quick", "join"],
    });
  });

  it("after the end uses actual durations, whatever the estimates", () => {
    const steps = timed({
      start: ["completed", 100, 1],
      quick: ["completed", 700, 1],
      slow: ["skipped", null, 5_000],
      join: ["canceled", null, 10],
    });
    expect(criticalPath(diamond, steps, true)).toEqual({
      basis: "durations",
      step_refs: ["start", "quick"],
      estimate_ms: 800,
      remaining_ms: 0,
      unestimated: [],
    });
  });

  it("passes through a step that took no time, and is empty if none did", () => {
    const steps = timed({
      start: ["completed", 5],
      quick: ["skipped", null],
      slow: ["skipped", null],
      join: ["completed", 5],
    });
    expect(criticalPath(diamond, steps, true).step_refs).toEqual(["start", "quick", "join"]);
    expect(criticalPath(diamond, new Map(), true)).toMatchObject({ step_refs: [], estimate_ms: 0 });
  });
});

/** The longest of all paths from a step on, each followed to its end: no result is used twice. */
function longestFrom(steps: readonly Thrown[], from: string, msOf: (ref: string) => number): number {
  const next = steps.filter(({ parents }) => parents.includes(from));
  return msOf(from) + Math.max(0, ...next.map(({ ref }) => longestFrom(steps, ref, msOf)));
}

it("W12 equals the longest of all paths, tried one by one", () => {
  const milliseconds = fc.infiniteStream(fc.integer({ min: 0, max: 1_000 }));
  fc.assert(
    fc.property(randomGraph({ fail_workflow: 1 }), milliseconds, ({ steps: thrown, definition }, stream) => {
      fc.pre(thrown.length <= 12);
      const times = new Map<string, TimedStep>();
      for (const { ref } of thrown)
        times.set(ref, { status: "completed", duration_ms: stream.next().value, estimate_ms: null });
      const msOf = (ref: string) => times.get(ref)?.duration_ms ?? 0;
      const lengthOf = (path: readonly string[]) => path.reduce((sum, ref) => sum + msOf(ref), 0);
      const longest = Math.max(...thrown.map(({ ref }) => longestFrom(thrown, ref, msOf)));

      const path = criticalPath(definition, times, true);
      expect(path.estimate_ms).toBe(longest);
      expect(lengthOf(path.step_refs)).toBe(path.estimate_ms);
      for (const [i, ref] of path.step_refs.entries())
        if (i > 0) expect(thrown.find((step) => step.ref === ref)?.parents).toContain(path.step_refs[i - 1]);
    }),
    { numRuns: sizeOf(50, 1_000) },
  );
});

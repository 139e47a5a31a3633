import { describe, expect, it } from "vitest";
import {
  approvalStep,
  jobStep,
  sleepStep,
  stateOf,
  waitStep,
  workflow,
} from "../../../../test/seed/workflow-definition.ts";
import { synchronous } from "../../../../test/world/synchronous.ts";
import type { GraphPlan } from "./definition.ts";
import { planGraph as planGraphGenerator } from "./planner.ts";

const planGraph = synchronous(planGraphGenerator);

/** `charge:start`, `ship:skip`, in order. */
function decisionsOf({ steps }: GraphPlan): string[] {
  return steps.map(({ step_ref, kind }) => `${step_ref}:${kind}`);
}

describe("a step is ready when each of its depends_on is done", () => {
  const steps = [jobStep("a"), jobStep("b"), jobStep("c", { depends_on: ["a", "b"] })];
  const definition = workflow(steps);

  it("W1 starts the roots, with the reason", () => {
    const plan = planGraph(definition, stateOf(definition));
    expect(plan.run).toEqual({ kind: "continue" });
    expect(plan.steps).toMatchObject([
      { kind: "start", step_ref: "a", reason: "it depends on no other step", condition: null },
      { kind: "start", step_ref: "b" },
    ]);
  });

  it("W1 joins when the last of them ends, not before", () => {
    expect(decisionsOf(planGraph(definition, stateOf(definition, { a: "completed", b: "running" })))).toEqual([]);
    const plan = planGraph(definition, stateOf(definition, { a: "completed", b: "completed" }));
    expect(plan.steps).toMatchObject([{ step_ref: "c", kind: "start", reason: "all of a, b are done" }]);
  });

  it("names the one step it waited for", () => {
    const two = workflow([jobStep("a"), jobStep("b", { depends_on: ["a"] })]);
    expect(planGraph(two, stateOf(two, { a: "completed" })).steps).toMatchObject([{ reason: "a is done" }]);
  });

  it("starts nothing twice: a plan over running and ended steps is empty", () => {
    const plan = planGraph(definition, stateOf(definition, { a: "running", b: "waiting" }));
    expect(plan).toEqual({ steps: [], run: { kind: "continue" } });
  });

  it("counts a step skipped by its condition or manually as done", () => {
    const state = stateOf(definition, {
      a: { status: "skipped", cause: "condition" },
      b: { status: "skipped", cause: "manual" },
    });
    expect(decisionsOf(planGraph(definition, state))).toEqual(["c:start"]);
  });

  it("decides in the order of the definition, each step after its dependencies", () => {
    const jumbled = workflow([
      jobStep("last", { depends_on: ["first"], condition: "true" }),
      jobStep("other"),
      jobStep("first", { condition: "false" }),
    ]);
    expect(decisionsOf(planGraph(jumbled, stateOf(jumbled)))).toEqual(["first:skip", "last:start", "other:start"]);
  });
});

describe("on_failure", () => {
  const failed = { status: "failed", error: { code: "boom", message: "it broke" } } as const;

  it("W2 continue: its dependents start", () => {
    const definition = workflow([jobStep("a", { on_failure: "continue" }), jobStep("b", { depends_on: ["a"] })]);
    const plan = planGraph(definition, stateOf(definition, { a: failed }));
    expect(plan.steps).toMatchObject([{ step_ref: "b", kind: "start", rendered: { parent_outputs: { a: null } } }]);
  });

  it("W2 skip_dependents: they are skipped transitively, other branches continue", () => {
    const definition = workflow([
      jobStep("a", { on_failure: "skip_dependents" }),
      jobStep("b", { depends_on: ["a"] }),
      jobStep("c", { depends_on: ["b", "slow"] }),
      jobStep("slow"),
      jobStep("d"),
    ]);
    const plan = planGraph(definition, stateOf(definition, { a: failed, slow: "running" }));
    expect(plan.steps).toMatchObject([
      {
        step_ref: "b",
        kind: "skip",
        cause: "dependency",
        cause_ref: "a",
        reason: "a failed and its on_failure is skip_dependents",
      },
      { step_ref: "c", kind: "skip", cause: "dependency", cause_ref: "a", reason: "b was skipped because of a" },
      { step_ref: "d", kind: "start" },
    ]);
    expect(plan.run).toEqual({ kind: "continue" });
  });

  it("W2 fail_workflow: the run fails, naming the step and its error, and nothing starts", () => {
    const definition = workflow([jobStep("a"), jobStep("b")]);
    expect(planGraph(definition, stateOf(definition, { a: failed }))).toEqual({
      steps: [],
      run: {
        kind: "fail",
        step_ref: "a",
        error: { code: "step_failed", message: "step a failed: boom: it broke" },
        error_count: 1,
      },
    });
  });

  it("W2 applies to a step that fails before it starts, in the same plan", () => {
    const bad = { payload: { id: "{{payload.nothing}}" } };
    const definition = workflow([jobStep("first"), jobStep("a", bad), jobStep("later")]);
    const { steps, run } = planGraph(definition, stateOf(definition));
    const message = "payload.id cannot be rendered: payload.nothing is missing: payload is an object without nothing";
    expect(steps).toEqual([
      { kind: "fail", step_ref: "a", error: { code: "template_path_missing", message }, reason: message },
    ]);
    expect(run).toMatchObject({ kind: "fail", step_ref: "a", error_count: 1 });
  });

  it("W2 applies to every type of step", () => {
    const below = (type: string) => jobStep(`below_${type}`, { depends_on: [type] });
    const on_failure = "skip_dependents" as const;
    const definition = workflow([
      waitStep("wait", { on_failure }),
      sleepStep("sleep", { on_failure }),
      approvalStep("approval", { on_failure }),
      ...["wait", "sleep", "approval"].map(below),
    ]);
    const plan = planGraph(definition, stateOf(definition, { wait: failed, sleep: failed, approval: failed }));
    expect(decisionsOf(plan)).toEqual(["below_wait:skip", "below_sleep:skip", "below_approval:skip"]);
    expect(plan.run).toEqual({ kind: "complete", error_count: 3 });
  });

  it("a step that was canceled before the run was reopened is not counted as done", () => {
    const definition = workflow([jobStep("a"), jobStep("b", { depends_on: ["a"] })]);
    const plan = planGraph(definition, stateOf(definition, { a: "canceled" }));
    expect(plan.steps).toMatchObject([{ step_ref: "b", kind: "skip", cause_ref: "a", reason: "a was canceled" }]);
  });
});

describe("a run ends", () => {
  const definition = workflow([jobStep("a", { on_failure: "continue" }), jobStep("b")]);

  it("completed when all its steps have ended, with the number of those that failed", () => {
    const state = stateOf(definition, { a: "failed", b: "completed" });
    expect(planGraph(definition, state)).toEqual({ steps: [], run: { kind: "complete", error_count: 1 } });
  });

  it("in the very plan that skips its last steps", () => {
    const skipping = workflow([jobStep("a", { condition: "false" })]);
    expect(planGraph(skipping, stateOf(skipping)).run).toEqual({ kind: "complete", error_count: 0 });
  });

  it("not while a step waits", () => {
    expect(planGraph(definition, stateOf(definition, { a: "completed", b: "waiting" })).run).toEqual({
      kind: "continue",
    });
  });
});

describe("max_parallel_steps", () => {
  const three = [jobStep("a"), jobStep("b"), jobStep("c")];

  it("limits running job steps; the rest is held, with the reason", () => {
    const definition = workflow(three, { max_parallel_steps: 2 });
    const plan = planGraph(definition, stateOf(definition, { a: "running" }));
    expect(decisionsOf(plan)).toEqual(["b:start", "c:hold"]);
    expect(plan.steps[1]).toMatchObject({ reason: "2 steps are running and max_parallel_steps is 2" });
  });

  it("never holds waits, sleeps and approvals", () => {
    const steps = [jobStep("a"), waitStep("w"), sleepStep("s"), approvalStep("p"), jobStep("b")];
    const definition = workflow(steps, { max_parallel_steps: 1 });
    const plan = planGraph(definition, stateOf(definition));
    expect(decisionsOf(plan)).toEqual(["a:start", "w:start", "s:start", "p:start", "b:hold"]);
    expect(plan.steps[4]).toMatchObject({ reason: "1 step is running and max_parallel_steps is 1" });
  });

  it("does not count a step that ends unstarted", () => {
    const steps = [jobStep("a", { condition: "false" }), jobStep("b")];
    const definition = workflow(steps, { max_parallel_steps: 1 });
    expect(decisionsOf(planGraph(definition, stateOf(definition)))).toEqual(["a:skip", "b:start"]);
  });
});

it("500 steps in sequence, and 500 in parallel, are planned like three", () => {
  const chain = Array.from({ length: 500 }, (_, i) => jobStep(`s${i}`, { depends_on: i === 0 ? [] : [`s${i - 1}`] }));
  const row = workflow(chain);
  const done = Object.fromEntries(chain.slice(0, 499).map(({ step_ref }) => [step_ref, "completed" as const]));
  expect(decisionsOf(planGraph(row, stateOf(row, done)))).toEqual(["s499:start"]);

  const refs = Array.from({ length: 499 }, (_, i) => `s${i}`);
  const wide = workflow([...refs.map((ref) => jobStep(ref)), jobStep("join", { depends_on: refs })]);
  expect(planGraph(wide, stateOf(wide)).steps).toHaveLength(499);
  const joined = planGraph(wide, stateOf(wide, Object.fromEntries(refs.map((ref) => [ref, "completed" as const]))));
  expect(joined.steps).toMatchObject([
    { step_ref: "join", reason: expect.stringMatching(/^all of s0, .* and 479 more are done$/) },
  ]);
});

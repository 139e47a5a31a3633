import { describe, expect, it, test } from "vitest";
import { approvalStep, jobStep, sleepStep, waitStep, workflow } from "../../../../test/seed/workflow-definition.ts";
import { indexGraph, namedSteps } from "./graph-index.ts";

describe("the steps whose outputs a step names", () => {
  test.each([
    [jobStep("s", { payload: { a: ["{{parent_outputs.x.id}}", "{{payload.id}}"] } }), ["x"]],
    [jobStep("s", { concurrency_key: "{{parent_outputs.k}}", event_emit_key: "{{parent_outputs.e.id}}" }), ["k", "e"]],
    [waitStep("s", { event_key: "o-{{parent_outputs.x.id}}" }), ["x"]],
    [approvalStep("s", { message: "{{parent_outputs.x.id}}" }), ["x"]],
    [sleepStep("s"), []],
    [sleepStep("s", { condition: "parent_outputs.x.ok && parent_outputs['odd-one'] != null" }), ["x", "odd-one"]],
    [sleepStep("s", { condition: 'has(parent_outputs . x) || parent_outputs[ "y" ].ok' }), ["x", "y"]],
    [sleepStep("s", { condition: "payload.a == steps.x.status" }), []],
  ])("%#: %o", (step, refs) => {
    expect(namedSteps(step).outputs).toEqual(refs);
  });

  it.each([
    "parent_outputs.exists(ref, parent_outputs[ref] == null)",
    "parent_outputs[payload.which].ok",
    "size(parent_outputs) > 1",
    "parent_outputs == payload",
    "parent_outputs['a\\'b'] == 1",
  ])("are all steps if the name is computed: %s", (condition) => {
    expect(namedSteps(sleepStep("s", { condition })).outputs).toBe("all");
  });

  it("are all, if a template reads them as a whole", () => {
    expect(namedSteps(jobStep("s", { payload: "{{parent_outputs}}" })).outputs).toBe("all");
  });
});

describe("the steps whose status a condition reads", () => {
  test.each([
    ["steps.a.status == 'failed' || steps['b-1'].status == 'failed'", ["a", "b-1"]],
    ["payload.steps_taken > 1 && parent_outputs.a.ok", []],
    ["steps.exists(ref, steps[ref].status == 'failed')", "all"],
  ])("%s", (condition, statuses) => {
    expect(namedSteps(sleepStep("s", { condition })).statuses).toEqual(statuses);
  });
});

describe("the outputs that a step gets", () => {
  const above = [jobStep("a"), jobStep("b", { depends_on: ["a"] }), jobStep("unrelated")];
  const readsOf = (step: ReturnType<typeof jobStep> | ReturnType<typeof waitStep>) =>
    indexGraph(workflow([...above, step])).byRef.get("s")?.reads;

  it("for a job: of its depends_on and of the ancestors it names", () => {
    expect(readsOf(jobStep("s", { depends_on: ["b"] }))).toEqual(["b"]);
    expect(readsOf(jobStep("s", { depends_on: ["b"], payload: "{{parent_outputs.a.id}}" }))).toEqual(["b", "a"]);
  });

  it("for another step: only of those it names", () => {
    expect(readsOf(waitStep("s", { depends_on: ["b"] }))).toEqual([]);
    expect(readsOf(waitStep("s", { depends_on: ["b"], event_key: "{{parent_outputs.a.id}}" }))).toEqual(["a"]);
  });

  it("never of a parallel step", () => {
    expect(readsOf(jobStep("s", { depends_on: ["b"], payload: "{{parent_outputs.unrelated.id}}" }))).toEqual(["b"]);
    expect(readsOf(jobStep("s", { depends_on: ["b"], payload: "{{parent_outputs}}" }))).toEqual(["b", "a"]);
  });

  it("are computed once for a definition", () => {
    const definition = workflow(above);
    expect(indexGraph(definition)).toBe(indexGraph(definition));
  });
});

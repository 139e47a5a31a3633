import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Fate, predictFates } from "../../../../test/oracles/planner-oracle.ts";
import { randomGraph, type Thrown, type ThrownGraph } from "../../../../test/oracles/random-graph.ts";
import { recordRandomRun } from "../../../../test/oracles/random-history.ts";
import { testSeed } from "../../../../test/seed/seed.ts";
import { approvalStep, jobStep, sleepStep, workflow } from "../../../../test/seed/workflow-definition.ts";
import { sizeOf } from "../../../../test/world/size.ts";
import { synchronous } from "../../../../test/world/synchronous.ts";
import type { WorkflowDefinition } from "../plan/definition.ts";
import type { Medians, RecordedRun, RecordedStep } from "./recorded-run.ts";
import { compareReplay, replayHistory as replayHistoryGenerator } from "./replay-history.ts";

const replayHistory = synchronous(replayHistoryGenerator);

fc.configureGlobal({ seed: testSeed("replay-history") });

const NONE: Medians = new Map();
const dice = fc.infiniteStream(fc.nat()).map((stream) => () => stream.next().value);

/** Without kinds and reasons, sorted: what an oracle can predict. */
function plain(differences: readonly { step_ref: string | null; was: string | null; is: string | null }[]): string[] {
  return differences.map(({ step_ref, was, is }) => `${step_ref}: ${was} → ${is}`).toSorted();
}

/** As the rules predict it, for steps whose result does not depend on the order of ends. */
function expectedDifferences(before: readonly Thrown[], after: readonly Thrown[]): string[] {
  const was = predictFates(before);
  // A step that did not run then is not known to fail: it is assumed to complete with null.
  const ran = new Set(before.filter((step) => didRun(step, was)).map(({ ref }) => ref));
  const is = predictFates(after.map((step) => (ran.has(step.ref) ? step : { ...step, outcome: "completed" as const })));
  const refs = [...new Set([...was.keys(), ...is.keys()])];
  return plain(
    refs
      .map((ref) => ({ step_ref: ref, was: describeFate(was.get(ref)), is: describeFate(is.get(ref)) }))
      .filter((each) => each.was !== each.is),
  );
}

function describeFate(fate: Fate | undefined): string | null {
  return fate === "skipped for another" ? "skipped" : (fate ?? null);
}

/** It was started: no ancestor held it, and neither its condition nor its templates failed it. */
function didRun(step: Thrown, fates: ReadonlyMap<string, Fate>): boolean {
  const fate = fates.get(step.ref);
  if (fate === "completed") return true;
  return (
    fate === "failed" &&
    predictFates([...ancestorsDone(step, fates), { ...step, outcome: "completed" }]).get(step.ref) === "completed"
  );
}

/** Parents with fixed results, so that one step can be evaluated alone. */
function ancestorsDone({ parents }: Thrown, fates: ReadonlyMap<string, Fate>): Thrown[] {
  const alone = { type: "job", parents: [], on_failure: "continue", template: { kind: "none" } } as const;
  return parents.map((ref) => {
    const fate = fates.get(ref);
    const condition = { kind: fate === "skipped" ? ("no" as const) : ("none" as const) };
    return { ...alone, parents: [], ref, condition, outcome: fate === "failed" ? "failed" : "completed" };
  });
}

/** Other conditions and failure policies for some steps; none that reads an output that the history may lack. */
function changed(graph: ThrownGraph, luck: () => number, build: (steps: Thrown[]) => WorkflowDefinition) {
  const steps = graph.steps.map((step): Thrown => {
    if (luck() % 3 > 0) return step;
    const condition = { kind: (["none", "yes", "no", "broken"] as const)[luck() % 4] ?? "none" };
    const on_failure = luck() % 2 === 0 ? "skip_dependents" : "continue";
    return { ...step, condition, on_failure };
  });
  return { steps, definition: build(steps) };
}

function rebuilt(graph: ThrownGraph, steps: readonly Thrown[]): WorkflowDefinition {
  const byRef = new Map(steps.map((step) => [step.ref, step]));
  const CONDITIONS: Record<string, string | null> = {
    none: null,
    yes: "payload.flag",
    no: "payload.off",
    broken: "payload.nothing == 1",
  };
  return workflow(
    graph.definition.steps.map((step) => {
      const thrown = byRef.get(step.step_ref);
      const before = graph.steps.find(({ ref }) => ref === step.step_ref);
      if (!thrown || thrown === before) return step;
      return { ...step, on_failure: thrown.on_failure, condition: CONDITIONS[thrown.condition.kind] ?? null };
    }),
    { max_parallel_steps: graph.definition.max_parallel_steps },
  );
}

/** A template over an output that is assumed to be null fails, which the oracle does not predict. */
function readsNoOutputs({ steps }: ThrownGraph): boolean {
  return steps.every(({ template, condition }) => template.kind !== "text_of" && condition.kind !== "has_output");
}

describe("a replay of generated histories", () => {
  it("shows no difference against their own definition, whatever fails and in whatever order", () => {
    let failed = 0;
    fc.assert(
      fc.property(randomGraph({ fail_workflow: 2 }), dice, (graph, luck) => {
        const run = recordRandomRun(graph, luck);
        if (run.status === "failed") failed++;
        const replay = replayHistory(graph.definition, run, NONE);
        expect(compareReplay(run, replay)).toEqual([]);
        expect([...replay.steps.values()].filter(({ assumed }) => assumed)).toEqual([]);
      }),
      { numRuns: sizeOf(60, 150) },
    );
    expect(failed).toBeGreaterThan(sizeOf(8, 20));
  });

  it("shows against a changed one the differences that the rules predict, and no others", () => {
    let differing = 0;
    fc.assert(
      fc.property(randomGraph({ fail_workflow: 0 }).filter(readsNoOutputs), dice, (graph, luck) => {
        const run = recordRandomRun(graph, luck);
        const candidate = changed(graph, luck, (steps) => rebuilt(graph, steps));
        const found = plain(compareReplay(run, replayHistory(candidate.definition, run, NONE)));
        expect(found).toEqual(expectedDifferences(graph.steps, candidate.steps));
        if (found.length > 0) differing++;
      }),
      { numRuns: sizeOf(60, 150) },
    );
    expect(differing).toBeGreaterThan(sizeOf(8, 20)); // two in five do
  });

  it("shows missing and added steps, each once", () => {
    fc.assert(
      fc.property(randomGraph({ fail_workflow: 0 }), dice, (graph, luck) => {
        const run = recordRandomRun(graph, luck);
        const leaf = graph.steps.at(-1)?.ref ?? "";
        const kept = graph.definition.steps.filter(({ step_ref }) => step_ref !== leaf);
        const candidate = workflow([...kept, jobStep("new")], { max_parallel_steps: 1 });
        const differences = compareReplay(run, replayHistory(candidate, run, NONE));
        expect(differences.map(({ kind, step_ref }) => `${kind} ${step_ref}`).toSorted()).toEqual([
          "step_added new",
          `step_missing ${leaf}`,
        ]);
      }),
      { numRuns: sizeOf(40, 100) },
    );
  });
});

function recorded(definition: WorkflowDefinition, steps: Record<string, Partial<RecordedStep>>, status = "completed") {
  const filled = Object.entries(steps).map(([ref, step]): [string, RecordedStep] => [
    ref,
    {
      type: definition.steps.find(({ step_ref }) => step_ref === ref)?.type ?? "job",
      status: "completed",
      output: null,
      error: null,
      cause: null,
      dispatched: true,
      started_ms: 0,
      ended_ms: 100,
      cost_microusd: 0,
      ...step,
    },
  ]);
  return { definition, payload: {}, status, steps: new Map(filled) } as RecordedRun;
}

describe("a replay", () => {
  const AB = workflow([jobStep("a"), jobStep("b", { depends_on: ["a"] })]);

  it("assumes a step without a record to complete with null in its median time, and reports it", () => {
    const run = recorded(AB, { a: {}, b: {} });
    const candidate = workflow([
      ...AB.steps,
      jobStep("c", { depends_on: ["b"], condition: "parent_outputs.b == null" }),
    ]);
    const medians = new Map([["c", { duration_ms: 70, cost_microusd: 5 }]]);
    expect(replayHistory(candidate, run, medians).steps.get("c")).toMatchObject({
      status: "completed",
      assumed: true,
      duration_ms: 70,
      cost_microusd: 5,
    });
    expect(replayHistory(candidate, run, NONE).steps.get("c")).toMatchObject({ duration_ms: 0, cost_microusd: 0 });
  });

  it("gives a condition the recorded outputs, so that a branch flips for the runs it concerns", () => {
    const candidate = workflow([
      jobStep("a"),
      jobStep("b", { depends_on: ["a"], condition: "parent_outputs.a.total > 10" }),
    ]);
    const [small, large] = [5, 50].map((total) => recorded(AB, { a: { output: { total } }, b: {} }));
    if (!small || !large) throw new Error("no runs");
    expect(compareReplay(large, replayHistory(candidate, large, NONE))).toEqual([]);
    expect(compareReplay(small, replayHistory(candidate, small, NONE))).toEqual([
      {
        step_ref: "b",
        kind: "ran_to_skipped",
        was: "completed",
        is: "skipped",
        reason: "condition `parent_outputs.a.total > 10` is false",
      },
    ]);
  });

  it("lets a skipped step run", () => {
    const was = workflow([jobStep("a"), jobStep("b", { depends_on: ["a"], condition: "false" })]);
    const run = recorded(was, { a: {}, b: { status: "skipped", cause: "condition", dispatched: false } });
    expect(compareReplay(run, replayHistory(AB, run, NONE))).toMatchObject([{ step_ref: "b", kind: "skipped_to_ran" }]);
  });

  it("continues where the run had failed, if the failure is no longer fatal", () => {
    const run = recorded(
      AB,
      {
        a: { status: "failed", error: { code: "boom", message: "no" } },
        b: { status: "canceled", cause: "step_failed", dispatched: false, started_ms: null },
      },
      "failed",
    );
    const candidate = workflow([jobStep("a", { on_failure: "continue" }), jobStep("b", { depends_on: ["a"] })]);
    expect(compareReplay(run, replayHistory(AB, run, NONE))).toEqual([]);
    expect(compareReplay(run, replayHistory(candidate, run, NONE))).toMatchObject([
      { step_ref: "b", kind: "other_outcome", was: "canceled", is: "completed" },
      { step_ref: null, kind: "end_status", was: "failed", is: "completed" },
    ]);
  });

  it("cancels steps that were open at a fatal failure, by the recorded times", () => {
    const was = workflow([jobStep("a", { on_failure: "continue" }), jobStep("b"), jobStep("c")]);
    const run = recorded(was, {
      a: { status: "failed", error: { code: "boom", message: "no" }, ended_ms: 50 },
      b: { ended_ms: 40, cost_microusd: 7 },
      c: { ended_ms: 90, cost_microusd: 7 },
    });
    const replay = replayHistory(workflow([jobStep("a"), jobStep("b"), jobStep("c")]), run, NONE);
    expect(replay.status).toBe("failed");
    expect(replay.steps.get("b")).toMatchObject({ status: "completed", duration_ms: 40 });
    expect(replay.steps.get("c")).toMatchObject({ status: "canceled", duration_ms: 50 });
  });

  it("ends a run where the recorded one was canceled, and keeps manual skips", () => {
    const was = workflow([jobStep("a"), approvalStep("b", { depends_on: ["a"] }), jobStep("c", { depends_on: ["b"] })]);
    const open = { status: "canceled", cause: "workflow_canceled" } as const;
    const run = recorded(was, { a: { status: "skipped", cause: "manual" }, b: open, c: open }, "canceled");
    const replay = replayHistory(was, run, NONE);
    expect(compareReplay(run, replay)).toEqual([]);
    expect(replay.reason).toBe("the recorded run was canceled at this point");
  });

  it("takes no outcome from a step of another type, nor from one that the planner itself had failed", () => {
    const was = workflow([jobStep("a"), jobStep("b")]);
    const error = { code: "template_path_missing", message: "no" };
    const run = recorded(was, { a: { type: "approval" }, b: { status: "failed", error, dispatched: false } });
    const { steps } = replayHistory(was, run, NONE);
    expect(steps.get("a")).toMatchObject({ assumed: true });
    expect(steps.get("b")).toMatchObject({ assumed: true, status: "completed" });
    const refused = recorded(
      was,
      { a: {}, b: { status: "failed", error: { code: "job_not_found", message: "" }, dispatched: false } },
      "failed",
    );
    expect(replayHistory(was, refused, NONE).steps.get("b")).toMatchObject({ assumed: false, status: "failed" });
  });

  it("counts a sleep with its current duration", () => {
    const was = workflow([sleepStep("s", { sleep_duration: "30s" })]);
    const run = recorded(was, { s: { ended_ms: 30_012 } });
    expect(replayHistory(was, run, NONE).steps.get("s")?.duration_ms).toBe(30_012);
    const longer = workflow([sleepStep("s", { sleep_duration: "5m" })]);
    expect(replayHistory(longer, run, NONE).steps.get("s")?.duration_ms).toBe(300_000);
  });
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PAYLOAD, randomGraph } from "../../../../test/oracles/random-graph.ts";
import { testSeed } from "../../../../test/seed/seed.ts";
import { approvalStep, jobStep, sleepStep, waitStep, workflow } from "../../../../test/seed/workflow-definition.ts";
import { sizeOf } from "../../../../test/world/size.ts";
import { synchronous } from "../../../../test/world/synchronous.ts";
import type { StepStatus } from "../../runs/states.ts";
import type { StepDefinition, WorkflowDefinition } from "../plan/definition.ts";
import { planGraph as planGraphGenerator } from "../plan/planner.ts";
import { checkMigration, type MigrationCheck, stepChanges } from "./check-migration.ts";

const planGraph = synchronous(planGraphGenerator);

fc.configureGlobal({ seed: testSeed("check-migration") });

type Known = Record<string, StepStatus | { status: StepStatus; generation: number }>;

function check(from: WorkflowDefinition, to: WorkflowDefinition, known: Known = {}, rest: object = {}) {
  const steps = from.steps.map(({ step_ref }) => {
    const own = known[step_ref] ?? "pending";
    return typeof own === "string" ? { step_ref, status: own, generation: 1 } : { step_ref, ...own };
  });
  const refs = new Set(to.steps.map(({ step_ref }) => step_ref));
  const target = { version_id: "to", refs, changes: stepChanges(from, to), from_version_id: null };
  return checkMigration({ status: "running", phase: null, version_id: "from", steps }, { ...target, ...rest });
}

const reasonsOf = (result: MigrationCheck) => (result.kind === "migrate" ? [] : result.reasons);
const a = jobStep("a");
const b = jobStep("b", { depends_on: ["a"] });

describe("whether a workflow run can continue under another version", () => {
  it("it can if all steps that are not pending are unchanged there; pending ones may be added and removed", () => {
    const to = workflow([jobStep("new"), a, jobStep("c", { depends_on: ["a"] })]);
    expect(check(workflow([a, b]), to, { a: "completed" })).toEqual({
      kind: "migrate",
      added: ["new", "c"],
      removed: ["b"],
    });
  });

  it("a step that has not started may change freely, even its type", () => {
    const to = workflow([a, sleepStep("b")]);
    expect(check(workflow([a, b]), to, { a: "running" })).toEqual({ kind: "migrate", added: [], removed: [] });
  });

  it.each(["running", "waiting", "completed", "failed", "skipped", "canceled"] as const)(
    "it cannot if a step that is %s was changed or removed",
    (status) => {
      const changed = check(workflow([a, b]), workflow([jobStep("a", { priority: 3 }), b]), { a: status });
      expect(changed).toEqual({
        kind: "incompatible",
        reasons: [
          { step_ref: "a", code: "step_changed", fields: ["priority"], message: expect.stringContaining(status) },
        ],
      });
      const gone = check(workflow([a]), workflow([b]), { a: status });
      expect(reasonsOf(gone)).toMatchObject([{ step_ref: "a", code: "step_removed", fields: [] }]);
    },
  );

  it("it cannot if a reset step that has run before is gone; an existing one may have changed", () => {
    const reset = { b: { status: "pending", generation: 2 } } as const;
    expect(reasonsOf(check(workflow([a, b]), workflow([a]), reset))).toMatchObject([
      { step_ref: "b", code: "step_removed", message: "The step b has run before, but the target does not have it." },
    ]);
    expect(check(workflow([a, b]), workflow([a, sleepStep("b")]), reset).kind).toBe("migrate");
  });

  it("returns every step that prevents it", () => {
    const to = workflow([jobStep("a", { on_failure: "continue", condition: "payload.x" })]);
    expect(reasonsOf(check(workflow([a, b]), to, { a: "completed", b: "running" }))).toMatchObject([
      { step_ref: "a", fields: ["on_failure", "condition"] },
      { step_ref: "b", code: "step_removed" },
    ]);
  });

  it("skips a run that has ended, that compensates, that is on the target already, or that was not selected", () => {
    const here = workflow([a]);
    const run = { status: "running", phase: null, version_id: "from", steps: [] };
    const target = { version_id: "to", refs: new Set(["a"]), changes: stepChanges(here, here), from_version_id: null };
    const ended = checkMigration({ ...run, status: "failed" }, target);
    expect([ended.kind, reasonsOf(ended)[0]?.code]).toEqual(["incompatible", "ended"]);
    const compensating = checkMigration({ ...run, phase: "compensating" }, target);
    expect([compensating.kind, reasonsOf(compensating)[0]?.code]).toEqual(["incompatible", "compensating"]);
    const there = checkMigration({ ...run, version_id: "to" }, target);
    expect([there.kind, reasonsOf(there)[0]?.code]).toEqual(["unchanged", "already_there"]);
    const other = checkMigration(run, { ...target, from_version_id: "third" });
    expect([other.kind, reasonsOf(other)[0]?.code]).toEqual(["unchanged", "other_version"]);
  });
});

describe("a change of a step", () => {
  const kinds: StepDefinition[] = [a, waitStep("a"), sleepStep("a"), approvalStep("a")];

  it("is one in any stored field, but not in its position", () => {
    for (const step of kinds) {
      for (const field of Object.keys(step).filter((name) => name !== "step_ref")) {
        const other = { ...step, [field]: "another" } as unknown as StepDefinition;
        expect(stepChanges(workflow([step]), workflow([b, other])).get("a")).toEqual({
          kind: "changed",
          fields: [field],
        });
      }
      expect(stepChanges(workflow([step]), workflow([b, { ...step }])).size).toBe(0);
    }
  });

  it("is not another order of depends_on, of approvers, or of the keys of a payload", () => {
    const one = [
      jobStep("c", { depends_on: ["a", "b"], payload: { x: 1, y: 2 } }),
      approvalStep("d", { approvers: ["p", "q"] }),
    ];
    const two = [
      jobStep("c", { depends_on: ["b", "a"], payload: { y: 2, x: 1 } }),
      approvalStep("d", { approvers: ["q", "p"] }),
    ];
    expect(stepChanges(workflow(one), workflow(two)).size).toBe(0);
  });

  it("is not a field that one version lacks and the other leaves empty", () => {
    const { concurrency_key: _, ...older } = a;
    expect(stepChanges(workflow([older as StepDefinition]), workflow([a])).size).toBe(0);
  });
});

describe("for any two versions and any state that a run can be in", () => {
  const thrown = fc.record({
    graph: randomGraph({ fail_workflow: 1 }),
    rounds: fc.nat({ max: 6 }),
    edits: fc.infiniteStream(fc.nat({ max: 99 })),
  });

  it("a run migrates to its own definition with nothing added and nothing removed", () => {
    fc.assert(
      fc.property(thrown, ({ graph, rounds, edits }) => {
        const copy = structuredClone(graph.definition);
        const result = check(graph.definition, copy, play(graph.definition, rounds, edits));
        expect(result).toEqual({ kind: "migrate", added: [], removed: [] });
      }),
      { numRuns: sizeOf(25, 50) },
    );
  });

  it("migrates if and only if every step that is not pending is the same, and the target's planner can continue", () => {
    let [went, stayed] = [0, 0];
    fc.assert(
      fc.property(thrown, ({ graph, rounds, edits }) => {
        const from = graph.definition;
        const known = play(from, rounds, edits);
        const to = edit(from, edits);
        const begun = from.steps.filter(({ step_ref }) => known[step_ref] !== undefined);
        const texts = new Set(to.steps.map((step) => JSON.stringify(step)));
        const result = check(from, to, known);
        expect(result.kind === "migrate").toBe(begun.every((step) => texts.has(JSON.stringify(step))));
        if (result.kind !== "migrate") return void stayed++;
        went++;
        const left = from.steps.map(({ step_ref }) => step_ref).filter((ref) => !result.removed.includes(ref));
        expect(new Set([...left, ...result.added])).toEqual(new Set(to.steps.map(({ step_ref }) => step_ref)));
        expect(result.removed.filter((ref) => known[ref])).toEqual([]);
        const plan = planGraph(to, stateOf(to, known));
        expect(plan.steps.filter(({ step_ref }) => known[step_ref])).toEqual([]);
      }),
      { numRuns: sizeOf(60, 150) },
    );
    expect(Math.min(went, stayed)).toBeGreaterThan(sizeOf(4, 10));
  });
});

/** Lets the planner drive a run for some rounds; started steps end at random. Returns the steps not pending. */
function play(definition: WorkflowDefinition, rounds: number, dice: Iterator<number>): Record<string, StepStatus> {
  const known: Record<string, StepStatus> = {};
  for (let round = 0; round < rounds; round++) {
    const plan = planGraph(definition, stateOf(definition, known));
    if (plan.run.kind !== "continue") break;
    for (const { kind, step_ref } of plan.steps) {
      if (kind === "start")
        known[step_ref] =
          definition.steps.find((step) => step.step_ref === step_ref)?.type === "job" ? "running" : "waiting";
      if (kind === "skip") known[step_ref] = "skipped";
      if (kind === "fail") known[step_ref] = "failed";
    }
    for (const [ref, status] of Object.entries(known)) {
      if ((status === "running" || status === "waiting") && dice.next().value < 50) known[ref] = "completed";
    }
  }
  return known;
}

function stateOf(definition: WorkflowDefinition, known: Record<string, StepStatus>) {
  const state = (ref: string) => ({
    status: known[ref] ?? ("pending" as const),
    cause: known[ref] === "skipped" ? ("condition" as const) : null,
    cause_ref: null,
    error: null,
  });
  return {
    payload: PAYLOAD,
    steps: new Map(definition.steps.map(({ step_ref }) => [step_ref, state(step_ref)])),
    outputs: new Map(definition.steps.map(({ step_ref }) => [step_ref, { made_by: step_ref }])),
  };
}

/** A few steps without dependents are removed, a few changed, one is new at the front. */
function edit({ steps, ...rest }: WorkflowDefinition, dice: Iterator<number>): WorkflowDefinition {
  const parents = new Set(steps.flatMap((step) => step.depends_on));
  const kept = steps.filter(({ step_ref }) => parents.has(step_ref) || dice.next().value < 80);
  const changed = kept.map((step) =>
    dice.next().value < 8
      ? ({ ...step, on_failure: step.on_failure === "continue" ? "skip_dependents" : "continue" } as const)
      : step,
  );
  return { ...rest, steps: [jobStep("brand-new"), ...changed] };
}

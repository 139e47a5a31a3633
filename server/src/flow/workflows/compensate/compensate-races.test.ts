import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { finishStep, holdStep } from "../../../../test/seed/finish-step.ts";
import { makeSaga, type Saga } from "../../../../test/seed/saga.ts";
import { testSeed } from "../../../../test/seed/seed.ts";
import { runSql } from "../../../../test/world/database.ts";
import { makeFlowWorld } from "../../../../test/world/flow-world.ts";
import { sizeOf } from "../../../../test/world/size.ts";
import { until } from "../../../../test/world/until.ts";
import type { World } from "../../../../test/world/world.ts";
import { progressRuns } from "../progress/progress-runs.ts";

let world: World;
beforeAll(async () => {
  world = await makeFlowWorld();
});

type Decision = { step_ref: string; decision_type: string };
const decisionsOf = (id: string) =>
  runSql<Decision>(
    world.connection,
    "select step_ref, decision_type from workflow_decisions where workflow_run_id = $1 order by ordinal",
    [id],
  );

/** From the published decisions alone: the completed steps that name a compensation, the last to complete first. */
async function expectedOrder(id: string, named: ReadonlySet<string>): Promise<string[]> {
  return (await decisionsOf(id))
    .filter(({ step_ref, decision_type }) => decision_type === "complete" && named.has(step_ref))
    .map(({ step_ref }) => `${step_ref}:compensate`)
    .reverse();
}

const started = async (id: string) =>
  (
    await runSql<{ step_ref: string }>(
      world.connection,
      `select step_ref from runs where workflow_run_id = $1 and step_ref like '%:compensate'
       order by created_at, id`,
      [id],
    )
  ).map((row) => row.step_ref);

async function expectUndone(saga: Saga, id: string, named: ReadonlySet<string>): Promise<void> {
  const { run } = await saga.bench.read(id);
  expect(run.finished_at).not.toBeNull();
  expect(run.phase).toBeNull();
  const order = run.status === "completed" ? [] : await expectedOrder(id, named);
  expect(await started(id)).toEqual(order);
  const dispatched = saga.bench.endpoint.dispatches.filter(({ body }) => body.workflow_run_id === id);
  const refs = dispatched.map(({ body }) => body.step_ref as string).filter((ref) => ref.endsWith(":compensate"));
  expect(refs).toEqual(order);
  expect(await saga.decided(id, "end")).toEqual(["end"]);
}

describe("a cancel concurrent with the end of the last step", () => {
  it("one end wins, and each step is compensated once", async () => {
    const saga = await makeSaga(world);
    const { bench, steps, operate } = saga;
    const named = new Set(["reserve", "charge", "ship"]);
    const workflow = await bench.save(steps());
    holdStep(bench, "ship");
    const ids = await Promise.all(Array.from({ length: 4 }, () => bench.start(workflow)));
    await world.runUntilIdle();
    const ships = bench.endpoint.dispatches.filter(({ body }) => body.step_ref === "ship");
    await Promise.all(
      ships.flatMap(({ body }, nth) => {
        const cancels = [operate(body.workflow_run_id, "cancel"), operate(body.workflow_run_id, "cancel")];
        const finish = finishStep(world, bench, "ship", { nth });
        return nth % 2 === 0 ? [finish, ...cancels] : [...cancels, finish];
      }),
    );
    await world.runUntilIdle();
    for (const id of ids) await expectUndone(saga, id, named);
    const statuses = await Promise.all(ids.map(async (id) => (await bench.read(id)).run.status));
    expect(statuses.every((status) => status === "completed" || status === "canceled")).toBe(true);
  });

  it("concurrent progress of a compensating run starts each compensation once", async () => {
    const saga = await makeSaga(world);
    const { bench, steps, failing } = saga;
    failing("ship");
    const id = await bench.start(await bench.save(steps()));
    const key = { project_id: saga.project.id, workflow_run_id: id };
    await until("the run to end", 60_000, async () => {
      await Promise.all([1, 2, 3, 4].map(() => progressRuns(world.ctx, [key])));
      await world.runUntilIdle();
      return (await bench.read(id)).run.finished_at !== null;
    });
    await expectUndone(saga, id, new Set(["reserve", "charge", "ship"]));
  });
});

type Step = { parents: number[]; isNamed: boolean; fails: boolean; undoFails: boolean; on_failure: string };
type Graph = { steps: Step[]; cancelAfter: number | null };

const aStep = (index: number): fc.Arbitrary<Step> =>
  fc.record({
    parents: fc.subarray([...Array(index).keys()], { maxLength: Math.min(3, index) }),
    isNamed: fc.boolean(),
    fails: fc.constantFrom(false, false, false, true),
    undoFails: fc.constantFrom(false, false, true),
    on_failure: fc.constantFrom("fail_workflow", "fail_workflow", "skip_dependents", "continue"),
  });

const graphs: fc.Arbitrary<Graph> = fc.integer({ min: 2, max: 9 }).chain((count) =>
  fc.record({
    steps: fc.tuple(...Array.from({ length: count }, (_, i) => aStep(i))),
    cancelAfter: fc.option(fc.nat({ max: 500 })),
  }),
);

describe("random workflows with random failures and cancels", () => {
  it("compensate the completed steps that name a compensation, each once, in reverse order of completion", async () => {
    const saga = await makeSaga(world);
    const runs = await Promise.all(
      fc
        .sample(graphs, { numRuns: sizeOf(5, 120), seed: testSeed("compensations") })
        .map((graph, nth) => begin(saga, graph, nth)),
    );
    const idle = world.runUntilIdle();
    await Promise.all(
      runs.map(async ({ id, cancelAfter }) => {
        if (cancelAfter === null) return;
        await new Promise((resolve) => setTimeout(resolve, cancelAfter));
        await saga.operate(id, "cancel");
      }),
    );
    await idle;
    await world.runUntilIdle();
    for (const { id, named } of runs) await expectUndone(saga, id, named);
  });
});

async function begin({ bench, undo, failing }: Saga, { steps, cancelAfter }: Graph, nth: number) {
  const refs = steps.map((_, i) => `g${nth}s${i}`);
  steps.forEach(({ fails, undoFails }, i) => {
    if (fails) failing(`${refs[i]}`);
    if (undoFails) failing(`${refs[i]}:compensate`);
  });
  const workflow = await bench.save(
    steps.map(({ parents, isNamed, on_failure }, i) => ({
      step_ref: refs[i],
      depends_on: parents.map((parent) => refs[parent]),
      on_failure,
      ...(isNamed && { compensate_job_id: undo }),
    })),
  );
  const named = new Set(refs.filter((_, i) => steps[i]?.isNamed));
  return { id: await bench.start(workflow), named, cancelAfter };
}

import { beforeAll, describe, expect, it } from "vitest";
import { useServices } from "../../service/start-service.ts";
import { buildMutated } from "./build-mutated.ts";
import { printDifferences } from "./compare.ts";
import { MUTATIONS } from "./mutations.ts";
import type { Operation } from "./operation.ts";
import { differencesOf, reduce } from "./run-sequences.ts";
import { type Build, startBuild } from "./start-build.ts";

useServices();

const job = { name: "Job a", slug: "job-a", endpoint_url: "$endpoint", timeout_secs: 3_600 };
const retries = { max_attempts: 2, retry_strategy: "custom", retry_delays_secs: [0] };
const trigger = (payload: object, fields: object = {}): Operation => ({
  call: "POST /v1/jobs/job-a/trigger",
  body: { payload, ...fields },
});

/** A little of everything. */
const OPERATIONS: Operation[] = [
  { call: "POST /v1/jobs", body: { ...job, ...retries } },
  trigger({ n: 1 }, { tags: { customer: "ann" } }),
  trigger({ n: 2, do: "fail", times: 1 }),
  trigger({ n: 3, do: "fail", times: 5 }),
  trigger({ n: 4, do: "report" }, { idempotency_key: "once" }),
  trigger({ n: 5, do: "wait", key: "k.1" }),
  { call: "POST /v1/events/k.1/send", body: { payload: { by: "ann" } } },
  { call: "POST /v1/runs/$0/replay", body: {}, picks: [{ of: "dead", nth: 0 }] },
  { call: "POST /v1/runs/bulk-dlq-replay", body: { filter: {} } },
  {
    call: "POST /v1/workflows",
    body: {
      ...{ name: "Flow", slug: "flow-1" },
      steps: [
        { step_ref: "all", type: "map", items: [1, 2, 3], job_id: "job-a", payload: { n: "{{item}}" } },
        { step_ref: "ok", type: "approval", depends_on: ["all"] },
      ],
    },
  },
  { call: "POST /v1/workflows/flow-1/trigger", body: { payload: { n: 10 } } },
  {
    ...{ call: "POST /v1/workflow-runs/$0/approve", body: { comment: "fine" } },
    picks: [{ of: "step", status: "waiting", nth: 0 }],
  },
];

let current: Build;

beforeAll(async () => {
  current = await startBuild("current");
});

describe("the comparison", () => {
  it("shows no difference between a build and itself", async () => {
    const baseline = await startBuild("the same");
    const found = await differencesOf({ baseline, current }, OPERATIONS);
    await baseline.stop();
    expect(printDifferences(found)).toBe("");
  });

  it.each(MUTATIONS)("finds a build that $name", async (mutation) => {
    const mutated = await startBuild("mutated", await buildMutated(mutation));
    const found = await differencesOf({ baseline: current, current: mutated }, OPERATIONS);
    await mutated.stop();
    console.info(`a build that ${mutation.name}: ${found.length} differences\n${printDifferences(found, 3)}`);
    expect(found.map(({ path }) => path).filter((path) => mutation.shownIn.test(path))).not.toEqual([]);
  });

  it("reduces a sequence to the shortest prefix that differs", async () => {
    const mutation = MUTATIONS.find(({ file }) => file === "flow/runs/settle/plan-settle.ts");
    if (!mutation) throw new Error("there is no mutation of max_attempts");
    const mutated = await startBuild("mutated", await buildMutated(mutation));
    const { operations, isRepeatable } = await reduce({ baseline: current, current: mutated }, OPERATIONS, []);
    await mutated.stop();
    expect({ isRepeatable, last: operations.at(-1), count: operations.length }).toEqual({
      ...{ isRepeatable: true, count: 4 },
      last: trigger({ n: 3, do: "fail", times: 5 }),
    });
  });
});

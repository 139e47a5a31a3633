import { setTimeout as pause } from "node:timers/promises";
import { beforeAll, describe, expect, it } from "vitest";
import { type Harness, openHarness } from "../../harness/open-harness.ts";
import type { Received } from "../../harness/receiver.ts";
import { makeJob } from "../../seed/make-workflow.ts";
import { useServices } from "../../service/start-service.ts";
import { scenarioSize } from "../../world/size.ts";
import { until } from "../../world/until.ts";

useServices();

const SIZE = scenarioSize({
  quick: { rounds: 5, newcomers: 24, mixed: 60 },
  usual: { rounds: 40, newcomers: 32, mixed: 200 },
  whole: { rounds: 200, newcomers: 60, mixed: 1_000 },
});
const ROUNDS_AT_ONCE = 5;
/** Until every instance has seen that they are blocked. */
const BLOCKED_MS = 400;

let harness: Harness;
beforeAll(async () => {
  harness = await openHarness({ name: "order" });
});

describe("a slot released at the instant a newcomer is triggered", () => {
  it("goes to the waiting runs, by priority and then by age: 0 3 1 2 4", async () => {
    const project = await harness.project();
    const orders: string[] = [];
    for (let done = 0; done < SIZE.rounds; done += ROUNDS_AT_ONCE) {
      const rounds = Array.from({ length: ROUNDS_AT_ONCE }, (_, nth) => round(done + nth));
      orders.push(...(await Promise.all(rounds)));
    }
    const wrong = orders.filter((order) => order !== "0 3 1 2 4");
    console.info(
      `${orders.length - wrong.length} of ${orders.length} in order; others: ${[...new Set(wrong)].join(" | ")}`,
    );
    await harness.settle(30_000, project);
    expect((await harness.check(project)).violations).toEqual({});
    expect(wrong).toEqual([]);

    async function round(nth: number): Promise<string> {
      const started: number[] = [];
      let release = () => {};
      const held = new Promise<void>((resolve) => {
        release = resolve;
      });
      const endpoint_url = harness.receiver.endpoint(`round${nth}`, async ({ body }: Received) => {
        started.push(body.payload.nth);
        if (body.payload.nth === 0) await held;
        else await pause(20);
        return {};
      });
      const job = await makeJob({ api: project }, { name: `Round ${nth}`, endpoint_url, max_concurrency: 1 });
      const trigger = (n: number, priority: number) =>
        project.post(`/v1/jobs/${job.id}/trigger`, { payload: { nth: n }, priority });
      await trigger(0, 0);
      await until("the holder to run", 20_000, () => started.length === 1);
      await trigger(1, 0);
      await trigger(2, 0);
      await trigger(3, 10);
      await pause(BLOCKED_MS);
      release();
      await trigger(4, -5);
      await until("all five to run", 20_000, () => started.length === 5);
      return started.join(" ");
    }
  });
});

describe("a rate of 2 per 2 s", () => {
  it("starts eight of priority 50 before any newcomer of priority 0", async () => {
    const project = await harness.project();
    const started: { kind: string; at: number }[] = [];
    const endpoint_url = harness.receiver.endpoint("rated", ({ body }) => {
      started.push({ kind: body.payload.kind, at: Date.now() });
      return {};
    });
    const job = await makeJob({ api: project }, { endpoint_url, rate_limit_max: 2, rate_limit_window_secs: 2 });
    const urgent = Array.from({ length: 8 }, () => ({ payload: { kind: "urgent" }, priority: 50 }));
    const triggeredAt = Date.now();
    await project.post(`/v1/jobs/${job.id}/trigger/bulk`, { items: urgent });
    const newcomers: string[] = [];
    for (let nth = 0; nth < SIZE.newcomers; nth++) {
      const { body } = await project.post(`/v1/jobs/${job.id}/trigger`, { payload: { kind: "newcomer" } });
      newcomers.push(body.id);
      await pause(250);
    }
    await until("all eight to start", 30_000, () => started.filter(({ kind }) => kind === "urgent").length === 8);
    await project.post("/v1/runs/bulk-cancel", { run_ids: newcomers });
    const lastMs = (started.findLast(({ kind }) => kind === "urgent")?.at ?? 0) - triggeredAt;
    const order = started.map(({ kind }) => kind[0]).join("");
    console.info(`started ${order}; the last urgent one after ${lastMs} ms`);
    await harness.settle(30_000, project);
    expect((await harness.check(project)).violations).toEqual({});
    expect(order.slice(0, 8)).toBe("u".repeat(8));
  });
});

describe("a job with a rate, a limit and a limit per key, whose runs have priorities", () => {
  it("starts them by rank within each limit, whatever arrives in between", async () => {
    const { random } = harness;
    const project = await harness.project();
    const endpoint_url = harness.receiver.endpoint("mixed", async () => {
      await pause(20 + random() * 60);
      return {};
    });
    const limits = { max_concurrency: 4, max_concurrency_per_key: 1, rate_limit_max: 40, rate_limit_window_secs: 2 };
    const job = await makeJob({ api: project }, { endpoint_url, ...limits });
    for (let triggered = 0; triggered < SIZE.mixed; ) {
      const items = Array.from({ length: 1 + Math.floor(random() * 6) }, () => ({
        concurrency_key: `key${Math.floor(random() * 5)}`,
        priority: [-5, 0, 0, 10][Math.floor(random() * 4)],
      }));
      await project.post(`/v1/jobs/${job.id}/trigger/bulk`, { items });
      triggered += items.length;
      await pause(random() * 200);
    }
    await harness.settle(90_000, project);
    expect((await harness.check(project)).violations).toEqual({});
  });
});

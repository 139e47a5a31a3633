import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { Instances } from "../../harness/instances.ts";
import { openHarness } from "../../harness/open-harness.ts";
import { disorder } from "../../oracles/queue-order.ts";
import { useServices } from "../../service/start-service.ts";
import { runSql, type TestConnection } from "../../world/database.ts";
import { scenarioSize } from "../../world/size.ts";
import { until } from "../../world/until.ts";
import { leftovers, readRepairs, wrongEnds } from "./check-workflows.ts";
import { startLoad } from "./load.ts";
import { makeWorkflows } from "./orders.ts";

useServices();

const SIZE = scenarioSize({
  quick: { orders: 40, everyMs: 150, kills: 2 },
  usual: { orders: 240, everyMs: 150, kills: 6 },
  whole: { orders: 1_200, everyMs: 220, kills: 40 },
});
const QUIET_ORDERS = 40;
/** Reconciliation runs every 30 s. */
const RECONCILE_INTERVAL_MS = 35_000;

const LIVE = "select 1 from workflow_runs where finished_at is null limit 1";
const isOver = async (connection: TestConnection) =>
  (await runSql(connection, LIVE)).length === 0 && Object.keys(await leftovers(connection)).length === 0;

describe("workflows on three instances that are killed one after another", () => {
  it("end as their payload requires, start every step once, and leave nothing behind", async () => {
    const { connection, instances, receiver, random, ...harness } = await openHarness({ name: "workflows" });
    const client = await harness.project();
    const workflows = await makeWorkflows(client, receiver, random);
    const load = startLoad(client, workflows, { orders: SIZE.orders, everyMs: SIZE.everyMs, name: "order" });
    await killInTurn(instances, random);
    await load.done;
    const lastAt = Date.now();
    await harness.settle(120_000);
    const settledMs = Date.now() - lastAt;
    const afterKills = await readRepairs(instances.urls());
    const { history, violations } = await harness.check();
    const held = history.faults.map((fault) => fault.held.length);
    const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);
    console.info(
      `${load.started.size} workflow runs, ${history.dispatches.length} dispatches, ${load.sent} events, ` +
        `${history.calls.filter(({ status }) => status === 0 || status >= 500).length} calls repeated; ` +
        `${held.length} kills that held ${held.join(", ")}; ` +
        `quiet ${Math.round(settledMs / 1_000)} s after the load; repairs ${JSON.stringify(afterKills)}`,
    );
    expect(violations).toEqual({});
    expect(await leftovers(connection)).toEqual({});
    expect(await wrongEnds(connection, load.started)).toEqual([]);
    expect(await disorder(connection)).toEqual([]);
    // Only attempts of dead instances are repeated; a spawner is sent once more when its child has ended.
    const runs = new Set(history.dispatches.map(({ run_id }) => run_id));
    const resumed = history.dispatches.filter(({ step_ref, attempt }) => step_ref === "spawner" && attempt > 1);
    expect(history.dispatches.length - runs.size - resumed.length).toBeLessThanOrEqual(sum(held));
    // Guards against a test in which nothing happened.
    expect(sum(held)).toBeGreaterThan(SIZE.kills);

    const quiet = startLoad(client, workflows, { orders: QUIET_ORDERS, everyMs: 50, name: "quiet" });
    await quiet.done;
    await until("the remaining runs to end", 60_000, () => isOver(connection));
    expect(await wrongEnds(connection, new Map([...load.started, ...quiet.started]))).toEqual([]);
    await pause(RECONCILE_INTERVAL_MS);
    expect(await readRepairs(instances.urls())).toEqual(afterKills);
  }, 1_200_000);
});

async function killInTurn(instances: Instances, random: () => number): Promise<void> {
  await pause(3_000);
  for (let nth = 0; nth < SIZE.kills; nth++) {
    await instances.crash(nth % 3, random() * 2_000);
    await pause(2_000 + random() * 3_000);
  }
}

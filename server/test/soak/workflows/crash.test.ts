import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cloneDatabase, dropDatabase, runSql, type TestConnection } from "../../database.ts";
import { disorder } from "../../queue-order.ts";
import { useServices } from "../../service/start-service.ts";
import { seededRandom } from "../../sweep-line.ts";
import { until } from "../../until.ts";
import { type Fleet, startFleet } from "../hot-path/fleet.ts";
import { leftovers, readRepairs, wrongEnds, wrongStarts } from "./check-workflows.ts";
import { startLoad } from "./load.ts";
import { makeWorkflows } from "./orders.ts";
import { openReceiver } from "./receiver.ts";

useServices();

const ORDERS = 240;
const QUIET_ORDERS = 40;
const KILLS = 6;
/** The reconciliation looks every 30 s. */
const ONE_LOOK_MS = 35_000;

let connection: TestConnection;
beforeAll(async () => {
  connection = await cloneDatabase();
});
afterAll(() => dropDatabase(connection));

const LIVE = "select 1 from workflow_runs where finished_at is null limit 1";
const isOver = async () =>
  (await runSql(connection, LIVE)).length === 0 && Object.keys(await leftovers(connection)).length === 0;

describe("workflows on three instances, of which one after the other is killed", () => {
  it("end each as its payload says, start every step once, and leave nothing behind", async () => {
    const random = seededRandom("workflows");
    const fleet = await startFleet(connection, 3);
    const receiver = await openReceiver(fleet.urls, random);
    const workflows = await makeWorkflows(fleet.urls()[0] ?? "", receiver);
    const load = startLoad(workflows, { urls: fleet.urls, random }, { orders: ORDERS, everyMs: 150, name: "order" });
    await killInTurn(fleet, random);
    await load.done;
    const lastAt = Date.now();
    await until("every workflow run to end", 120_000, isOver).catch(() => {}); // what is left says which did not
    const settledMs = Date.now() - lastAt;
    const afterKills = await readRepairs(fleet.urls());
    const held = fleet.faults.map((fault) => fault.held.length);
    const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);
    console.info(
      `${load.started.size} workflow runs, ${receiver.journal.length} dispatches, ${load.sent} events, ` +
        `${load.repeated} calls repeated; ${held.length} kills that held ${held.join(", ")}; ` +
        `quiet ${Math.round(settledMs / 1_000)} s after the load; repairs ${JSON.stringify(afterKills)}`,
    );
    expect(await leftovers(connection)).toEqual({});
    expect(await wrongEnds(connection, load.started)).toEqual([]);
    expect(wrongStarts(receiver.journal)).toEqual([]);
    expect(await disorder(connection)).toEqual([]);
    // Only what the dead held is done again; a spawner is sent once more when its child has ended.
    const runs = new Set(receiver.journal.map(({ run_id }) => run_id));
    const resumed = receiver.journal.filter(({ step_ref, attempt }) => step_ref === "spawner" && attempt > 1);
    expect(receiver.journal.length - runs.size - resumed.length).toBeLessThanOrEqual(sum(held));
    // A campaign in which nothing happened proves nothing.
    expect(sum(held)).toBeGreaterThan(KILLS);

    const quiet = startLoad(
      workflows,
      { urls: fleet.urls, random },
      { orders: QUIET_ORDERS, everyMs: 50, name: "quiet" },
    );
    await quiet.done;
    await until("the quiet ones to end", 60_000, isOver);
    expect(await wrongEnds(connection, new Map([...load.started, ...quiet.started]))).toEqual([]);
    await pause(ONE_LOOK_MS);
    expect(await readRepairs(fleet.urls())).toEqual(afterKills);
  }, 420_000);
});

async function killInTurn(fleet: Fleet, random: () => number): Promise<void> {
  await pause(3_000);
  for (let nth = 0; nth < KILLS; nth++) {
    await fleet.kill(nth % 3, random() * 2_000);
    await pause(2_000 + random() * 3_000);
  }
}

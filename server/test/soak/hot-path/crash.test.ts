import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { checkHistory, type History } from "../../check-history.ts";
import { cloneDatabase, dropDatabase, runSql, type TestConnection } from "../../database.ts";
import { disorder } from "../../queue-order.ts";
import { useServices } from "../../service/start-service.ts";
import { seededRandom } from "../../sweep-line.ts";
import { until } from "../../until.ts";
import { type Fleet, startFleet } from "./fleet.ts";
import { makeJobs, readHistory } from "./history.ts";
import { startLoad } from "./load.ts";
import { openReceiver } from "./receiver.ts";

useServices();

const RUNS = 1_200;
const KILLS = 6;
const FROZEN_MS = 45_000;

/** What is left in the queue, should anything be. */
const LEFT = `
  select q.run_id, r.status, r.attempt, r.payload, q.parked_on, q.lease_until, q.accepted_at, q.deadline, q.instance_id,
    i.seen_at, clock() as now, (
      select json_agg(json_build_array(t.to_status, t.cause, t.attempt, t.created_at) order by t.ordinal)
      from run_transitions t where t.run_id = r.id) as log
  from run_queue q join runs r on r.id = q.run_id left join instances i on i.id = q.instance_id
  order by q.run_id limit 20`;

let connection: TestConnection;
beforeAll(async () => {
  connection = await cloneDatabase();
});
afterAll(() => dropDatabase(connection));

describe("three instances, of which one after the other is killed and one falls silent for 45 s", () => {
  it("lose no run, repeat only what the dead held, take no stale word, and keep every limit", async () => {
    const random = seededRandom("hot-path");
    const fleet = await startFleet(connection, 3);
    const receiver = await openReceiver(fleet.urls, random);
    const { key, jobs } = await makeJobs(fleet.urls()[0] ?? "", receiver);
    const load = startLoad({ key, jobs, urls: fleet.urls, random }, { runs: RUNS, perCall: 25, everyMs: 900 });

    await makeFaults(fleet, random);
    await load.done;
    const lastFaultAt = Date.now();
    const isOver = async () => (await runSql(connection, "select 1 from run_queue limit 1")).length === 0;
    await until("every run to end", 60_000, isOver).catch(() => {}); // the history says which did not
    const secs = Math.round((Date.now() - lastFaultAt) / 1_000);

    const history = await readHistory(connection, { acknowledged: load.acknowledged, faults: fleet.faults, receiver });
    console.info(figures(history, load, secs));
    for (const row of await runSql(connection, LEFT)) console.info(JSON.stringify(row));
    expect(checkHistory(history)).toEqual([]);
    expect(await disorder(connection)).toEqual([]);
    // A campaign in which nothing happened proves nothing.
    expect(load.answered / load.asked).toBeGreaterThan(0.7);
    expect(history.faults.reduce((sum, fault) => sum + fault.held.length, 0)).toBeGreaterThan(KILLS);
    expect(history.reports.filter((report) => report.accepted).length).toBeGreaterThan(100);
    const [sum] = await runSql(connection, "select coalesce(sum(active), 0)::int as active from concurrency_counters");
    expect(sum).toEqual({ active: 0 });
  }, 180_000);
});

/** One is frozen; meanwhile the others are killed in turn, each back up before the next falls. */
async function makeFaults(fleet: Fleet, random: () => number): Promise<void> {
  await pause(4_000);
  const frozen = fleet.freeze(0, FROZEN_MS);
  for (let nth = 0; nth < KILLS; nth++) {
    await pause(3_000 + random() * 3_000);
    const up = [0, 1, 2].filter(fleet.isUp);
    await fleet.kill(up[Math.floor(random() * up.length)] ?? 1, random() * 2_000);
  }
  await frozen;
}

function figures(history: History, load: { asked: number; answered: number }, secs: number): string {
  const statuses = new Map<string, number>();
  for (const { status } of history.runs) statuses.set(status, (statuses.get(status) ?? 0) + 1);
  const repeats = history.transitions.filter(({ cause }) => cause === "lease_lost").length;
  const held = history.faults.map((fault) => fault.held.length);
  return (
    `${history.runs.length} runs ${JSON.stringify(Object.fromEntries(statuses))}, ${history.dispatches.length} dispatches; ` +
    `${held.length} faults that held ${held.join(", ")}, ${repeats} taken over; ` +
    `${history.reports.length} reports, ${history.reports.filter((report) => !report.accepted).length} refused; ` +
    `${load.answered} of ${load.asked} calls answered; quiet ${secs} s after the last fault`
  );
}

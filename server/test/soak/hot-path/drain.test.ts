import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { checkHistory } from "../../check-history.ts";
import { cloneDatabase, dropDatabase, runSql, type TestConnection } from "../../database.ts";
import { disorder } from "../../queue-order.ts";
import { useServices } from "../../service/start-service.ts";
import { seededRandom } from "../../sweep-line.ts";
import { until } from "../../until.ts";
import { startFleet } from "./fleet.ts";
import { makeJobs, readHistory } from "./history.ts";
import { startLoad } from "./load.ts";
import { openReceiver } from "./receiver.ts";

useServices();

const RUNS = 400;
const ROUNDS = 3;
const GRACE_SECS = 3;

let connection: TestConnection;
beforeAll(async () => {
  connection = await cloneDatabase();
});
afterAll(() => dropDatabase(connection));

describe("instances that are restarted in turn, with runs under way", () => {
  it("burn no try and lose no lease; what did not end in the grace goes on elsewhere at once", async () => {
    const random = seededRandom("drain");
    const fleet = await startFleet(connection, 2);
    const receiver = await openReceiver(fleet.urls, random);
    const { key, jobs } = await makeJobs(fleet.urls()[0] ?? "", receiver);
    const load = startLoad({ key, jobs, urls: fleet.urls, random }, { runs: RUNS, perCall: 10, everyMs: 300 });
    for (let round = 0; round < ROUNDS; round++) {
      for (const nth of [0, 1]) {
        const { code, ms } = await fleet.restart(nth);
        expect(code).toBe(0);
        expect(ms).toBeLessThan((GRACE_SECS + 5) * 1_000);
      }
    }
    await load.done;
    await until(
      "every run to end",
      30_000,
      async () => (await runSql(connection, "select 1 from run_queue limit 1")).length === 0,
    );

    const history = await readHistory(connection, { acknowledged: load.acknowledged, faults: [], receiver });
    const drained = history.transitions.filter(({ cause }) => cause === "drained").length;
    console.info(`${history.runs.length} runs, ${drained} put back by a drain`);
    expect(checkHistory(history)).toEqual([]);
    expect(drained).toBeGreaterThan(0);
    const burned = `select id from runs where crash_count > 0 or status <> 'completed'
      or tries_used > case payload ->> 'kind' when 'flaky' then 1 else 0 end`;
    expect(await runSql(connection, burned)).toEqual([]);
    expect(await disorder(connection)).toEqual([]);
  }, 150_000);
});

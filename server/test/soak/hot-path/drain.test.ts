import { describe, expect, it } from "vitest";
import { openHarness } from "../../harness/open-harness.ts";
import { disorder } from "../../oracles/queue-order.ts";
import { useServices } from "../../service/start-service.ts";
import { runSql } from "../../world/database.ts";
import { scenarioSize } from "../../world/size.ts";
import { makeJobs } from "./jobs.ts";
import { startLoad } from "./load.ts";

useServices();

const SIZE = scenarioSize({
  quick: { runs: 200, rounds: 1 },
  usual: { runs: 400, rounds: 3 },
  whole: { runs: 1_400, rounds: 10 },
});
const GRACE_SECS = 3;

describe("instances that are restarted in turn, with runs in flight", () => {
  it("use up no tries and lose no lease; runs that exceed the grace period continue elsewhere at once", async () => {
    const harness = await openHarness({ name: "drain", instances: 2 });
    const { connection, instances, random } = harness;
    const client = await harness.project();
    const jobs = await makeJobs(client, harness.receiver, random);
    const load = startLoad(client, { jobs, random }, { runs: SIZE.runs, perCall: 10, everyMs: 300, keys: 4 });
    for (let round = 0; round < SIZE.rounds; round++) {
      for (const nth of [0, 1]) {
        const { code, ms } = await instances.restart(nth);
        expect(code).toBe(0);
        expect(ms).toBeLessThan((GRACE_SECS + 5) * 1_000);
      }
    }
    await load.done;
    await harness.settle(30_000);

    const { history, violations } = await harness.check();
    const drained = history.transitions.filter(({ cause }) => cause === "drained").length;
    console.info(`${history.runs.length} runs, ${drained} requeued by a drain`);
    expect(violations).toEqual({});
    expect(drained).toBeGreaterThan(0);
    const burned = `select id from runs where crash_count > 0 or status <> 'completed'
      or tries_used > case payload ->> 'kind' when 'flaky' then 1 else 0 end`;
    expect(await runSql(connection, burned)).toEqual([]);
    expect(await disorder(connection)).toEqual([]);
  }, 600_000);
});

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ReadyService, SECRETS, serveOn, useServices } from "../../service/start-service.ts";
import { makeClient } from "../../world/client.ts";
import { cloneDatabase, dropDatabase, type TestConnection } from "../../world/database.ts";
import { scenarioSize } from "../../world/size.ts";
import { until } from "../../world/until.ts";
import { constantLoad, missingFrom } from "../service/constant-load.ts";
import { openBalancer } from "./balancer.ts";

useServices();

/** Of two instances each. */
const ROUNDS = scenarioSize({ quick: 1, usual: 3, whole: 10 });

let connection: TestConnection;
beforeAll(async () => {
  connection = await cloneDatabase();
});
afterAll(() => dropDatabase(connection));

describe("a rolling restart under load", () => {
  it("loses no request", { timeout: 900_000 }, async () => {
    const balancer = await openBalancer();
    let running: ReadyService[] = await Promise.all([start(), start()]);
    const admin = makeClient(balancer.url, { "x-internal-secret": SECRETS.INTERNAL_SECRET });
    await until("the balancer to find both", 20_000, () => running.every(({ url }) => balancer.isServing(url)));
    const load = constantLoad({ admin }, 4);

    for (let round = 1; round <= ROUNDS; round++) {
      const next: ReadyService[] = [];
      for (const service of running) {
        const [replacement, exit] = await Promise.all([start(), service.stop()]);
        expect(exit).toEqual({ code: 0, signal: null });
        next.push(replacement);
        await until("the balancer to find it", 20_000, () => balancer.isServing(replacement.url));
      }
      running = next;
    }
    await load.stop();

    console.info(`${2 * ROUNDS} restarts, ${load.requests.length} requests, ${balancer.failures.length} failed`);
    expect(balancer.failures).toEqual([]);
    expect(new Set(load.requests.map(({ status }) => status))).toEqual(new Set([200, 201]));
    expect(load.acknowledged.length).toBeGreaterThan(100);
    expect(await missingFrom({ admin }, load.acknowledged.slice(-200))).toEqual([]);

    async function start(): Promise<ReadyService> {
      // A sixth of it is for the balancer to notice, which runs in this process and may be delayed with it.
      const service = await serveOn(connection, { SHUTDOWN_GRACE_SECS: "18" });
      balancer.add(service.url);
      return service;
    }
  });
});

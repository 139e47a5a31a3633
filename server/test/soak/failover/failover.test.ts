import { setTimeout as pause } from "node:timers/promises";
import { pino } from "pino";
import { describe, expect, it } from "vitest";
import { migrate } from "../../../src/platform/database/migrate.ts";
import type { ProjectClient } from "../../harness/client.ts";
import { openHarness } from "../../harness/open-harness.ts";
import { startSteadyLoad } from "../../harness/steady-load.ts";
import { freePort } from "../../outside/free-port.ts";
import { startHaproxy } from "../../outside/haproxy.ts";
import {
  type InstalledServer,
  needTools,
  type PostgresTools,
  queryOnce,
  startInstalledServer,
} from "../../outside/installed-postgres.ts";
import { useServices } from "../../service/start-service.ts";
import { makeClient } from "../../world/client.ts";
import { runSql } from "../../world/database.ts";
import { scenarioSize } from "../../world/size.ts";
import { until } from "../../world/until.ts";

useServices();

const ROUNDS = scenarioSize({ quick: 1, usual: 5, whole: 20 });
const PER_SEC = 50;
const BEFORE_MS = 5_000;
/** What a manager of failovers takes to notice. */
const NOTICED_AFTER_MS = 1_000;
const WITHIN_MS = 60_000;

type Cluster = { primary: InstalledServer; standby: InstalledServer };

const behindHaproxy = (proxy: number) => `postgres://millrace@127.0.0.1:${proxy}/millrace`;
const severalHosts = (ports: number[]) =>
  `postgres://millrace@${ports.map((port) => `127.0.0.1:${port}`).join(",")}/millrace?target_session_attrs=read-write`;

describe("a primary with a synchronous standby is killed with -9 and the standby promoted", () => {
  it.each([
    ["HAProxy", ROUNDS, (proxy: number, _: number[]) => behindHaproxy(proxy)],
    ["several hosts in the address", 2, (_: number, ports: number[]) => severalHosts(ports)],
  ])(
    "behind %s, %i times: nothing acknowledged is lost, and writes succeed again",
    async (name, rounds, urlOf) => {
      const tools = await needTools();
      const ports = [await freePort(), await freePort()];
      let cluster = await firstCluster(tools, ports);
      const proxy = await startHaproxy(ports, "millrace", "millrace");
      // The harness itself reads behind the proxy, too.
      const connection = { host: "127.0.0.1", port: proxy, user: "millrace", database: "millrace" };
      await until("the proxy to find the primary", 20_000, () => runSql(connection, "select 1").catch(() => undefined));
      await migrate(connection, pino({ level: "silent" }));
      const harness = await openHarness({
        ...{ name: `failover behind ${name}`, instances: 2, connection },
        databaseUrl: async () => urlOf(proxy, ports),
      });
      const project = await harness.project();
      const endpoint_url = harness.receiver.endpoint("work", async ({ dispatch: { attempt } }) => {
        await pause(20);
        return { body: { attempt } };
      });
      const { body: job } = await project.post("/v1/jobs", { name: "Work", endpoint_url, max_attempts: 20 });
      const load = startSteadyLoad(project, [job.id], PER_SEC);

      const tookMs: number[] = [];
      for (let round = 0; round < rounds; round++) {
        await pause(BEFORE_MS);
        const killedAt = performance.now();
        await cluster.primary.stop("SIGKILL");
        const write = firstGoodWrite(harness.instances.urls, project, job.id);
        await pause(NOTICED_AFTER_MS);
        await cluster.standby.promote();
        await write;
        tookMs.push(Math.round(performance.now() - killedAt));
        cluster = await followed(cluster.standby, cluster.primary.port, round);
      }
      await load.stop();
      await harness.settle(WITHIN_MS);
      const { history, violations } = await harness.check();
      console.info(
        `${name}: ${load.acknowledged()} acknowledged triggers, ${history.runs.length} runs, ${history.dispatches.length} dispatches; ` +
          `first good write after ${tookMs.join(", ")} ms, of which ${NOTICED_AFTER_MS} until the promotion`,
      );
      expect(violations).toEqual({});
      expect(history.runs.length).toBeGreaterThanOrEqual(load.acknowledged());
    },
    600_000,
  );
});

async function firstCluster(tools: PostgresTools, [port, other]: number[]): Promise<Cluster> {
  const primary = await startInstalledServer(tools, port === undefined ? {} : { port });
  return followed(primary, other ?? 0, -1);
}

/** A new standby on this port, without which the primary acknowledges no commit. */
async function followed(primary: InstalledServer, port: number, round: number): Promise<Cluster> {
  const name = `standby_${round + 1}`;
  const standby = await primary.standby(name, port);
  await standby.start();
  await queryOnce(primary.connection, `alter system set synchronous_standby_names = '${name}'`);
  await queryOnce(primary.connection, "select pg_reload_conf()");
  await until("the standby to be synchronous", WITHIN_MS, async () => {
    const rows = await queryOnce(primary.connection, "select 1 from pg_stat_replication where sync_state = 'sync'");
    return rows.length > 0;
  });
  return { primary, standby };
}

async function firstGoodWrite(urls: () => string[], { key }: ProjectClient, job: string): Promise<void> {
  for (let nth = 0; ; nth++) {
    const client = makeClient(urls()[nth % urls().length] ?? "", { authorization: `Bearer ${key}` });
    const response = await client.post(`/v1/jobs/${job}/trigger`, { payload: {} }).catch(() => undefined);
    if (response?.status === 201) return;
    await pause(20);
  }
}

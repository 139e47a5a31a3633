import { setTimeout as pause } from "node:timers/promises";
import { pino } from "pino";
import { describe, expect, it } from "vitest";
import { migrate } from "../../../src/platform/database/migrate.ts";
import type { History, JournaledCall } from "../../harness/history.ts";
import { withoutWindow } from "../../harness/lost-window.ts";
import { openHarness } from "../../harness/open-harness.ts";
import { startSteadyLoad } from "../../harness/steady-load.ts";
import { freePort } from "../../outside/free-port.ts";
import { startHaproxy } from "../../outside/haproxy.ts";
import { needTools, queryOnce, startInstalledServer } from "../../outside/installed-postgres.ts";
import { useServices } from "../../service/start-service.ts";
import { runSql, type TestConnection } from "../../world/database.ts";
import { scenarioSize } from "../../world/size.ts";
import { until } from "../../world/until.ts";

useServices();

const SIZE = scenarioSize({
  quick: { perSec: 20, beforeMs: 4_000 },
  usual: { perSec: 50, beforeMs: 10_000 },
  whole: { perSec: 100, beforeMs: 30_000 },
});
/** The standby is cut off for so long before the primary dies: what is acknowledged then is lost. */
const LAG_MS = 1_500;
const NOTICED_AFTER_MS = 1_000;
const WITHIN_MS = 90_000;

describe("a standby without synchronous replication that is promoted after a crash", () => {
  it("loses at most what was committed within its lag; no lease outlives it, and everything else holds", {
    timeout: 400_000,
  }, async () => {
    const tools = await needTools();
    const ports = [await freePort(), await freePort()];
    const primary = await startInstalledServer(tools, { port: ports[0] ?? 0 });
    const standby = await primary.standby("late", ports[1]);
    await standby.start();
    const proxy = await startHaproxy(ports, "millrace", "millrace");
    const connection = { host: "127.0.0.1", port: proxy, user: "millrace", database: "millrace" };
    await until("the proxy to find the primary", 20_000, () => runSql(connection, "select 1").catch(() => undefined));
    await migrate(connection, pino({ level: "silent" }));
    const harness = await openHarness({ name: "asynchronous failover", instances: 2, connection });
    const project = await harness.project();
    const answering = harness.receiver.endpoint("answering", async ({ dispatch: { attempt } }) => {
      await pause(50);
      return { body: { attempt } };
    });
    /** Holds its lease across the promotion, and reports to whichever primary there is. */
    const reporting = harness.receiver.endpoint("reporting", async ({ dispatch: { attempt }, reply, report }) => {
      await reply({ status: 202 });
      await pause(2_000);
      await report("complete", { result: { attempt } });
      return {};
    });
    const jobs = await Promise.all(
      [answering, reporting].map(async (endpoint_url) => {
        const fields = { name: "Work", endpoint_url, max_attempts: 20, heartbeat_timeout_secs: 10 };
        return (await project.post("/v1/jobs", fields)).body.id as string;
      }),
    );
    const load = startSteadyLoad(project, jobs, SIZE.perSec);
    await pause(SIZE.beforeMs);
    const cutAt = await cutOff(standby.connection);
    await pause(LAG_MS);
    const killedAt = Date.now();
    await primary.stop("SIGKILL");
    await pause(NOTICED_AFTER_MS);
    await standby.promote();
    const promotedAt = Date.now();
    harness.instances.faults.push({ at: promotedAt, held: await leasesOf(standby.connection) });
    await pause(SIZE.beforeMs);
    await load.stop();
    expect(await harness.settle(WITHIN_MS, project)).toBe(true);
    const whole = await harness.history();
    const lost = lostTriggers(whole);
    const { history, violations } = await harness.check(project, (seen) => withoutWindow(seen, cutAt, promotedAt));
    const rescued = history.transitions.filter(({ cause, at }) => cause === "lease_lost" && at >= promotedAt);
    const refused = whole.reports.filter(({ at, accepted }) => at >= promotedAt && !accepted);
    console.info(
      `${load.acknowledged()} acknowledged triggers; lag ${killedAt - cutAt} ms: ${lost.length} lost, the first acknowledged ` +
        `${Math.round(Math.min(...lost.map(({ ended_at }) => ended_at ?? 0)) - cutAt)} ms after the standby was cut off; ` +
        `${harness.instances.faults.at(-1)?.held.length} leases at the promotion, ${rescued.length} of them rescued, ` +
        `${refused.length} reports of lost attempts refused; ${history.runs.length} runs`,
    );
    expect(violations).toEqual({});
    expect(lost.length).toBeGreaterThan(0);
    expect(lost.filter(({ ended_at }) => (ended_at ?? 0) < cutAt)).toEqual([]);
  });
});

/** From now on it receives nothing. Returns the time of the last commit that it has. */
async function cutOff(standby: TestConnection): Promise<number> {
  await queryOnce(standby, "alter system set primary_conninfo = ''");
  await queryOnce(standby, "select pg_reload_conf()");
  await until("the standby to stop receiving", WITHIN_MS, async () => {
    return (await queryOnce(standby, "select 1 from pg_stat_wal_receiver")).length === 0;
  });
  const [row] = await queryOnce<{ at: Date }>(standby, "select pg_last_xact_replay_timestamp() as at");
  return row?.at.getTime() ?? 0;
}

function leasesOf(connection: TestConnection): Promise<{ run_id: string; attempt: number }[]> {
  return runSql(
    connection,
    `select q.run_id, r.attempt from run_queue q join runs r on r.project_id = q.project_id and r.id = q.run_id
     where q.lease_until is not null`,
  );
}

function lostTriggers({ calls, runs }: History): JournaledCall[] {
  const known = new Set(runs.map(({ id }) => id));
  const triggers = calls.filter(({ path, status }) => path.endsWith("/trigger") && status === 201);
  return triggers.filter(({ ids }) => ids.some((id) => !known.has(id)));
}

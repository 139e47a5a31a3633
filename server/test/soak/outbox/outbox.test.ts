import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import { openHarness } from "../../harness/open-harness.ts";
import { type ApplicationDatabase, applicationDatabase } from "../../outside/application-database.ts";
import { makeJob } from "../../seed/make-workflow.ts";
import { useServices } from "../../service/start-service.ts";
import { runSql, type TestConnection } from "../../world/database.ts";
import { scenarioSize } from "../../world/size.ts";
import { until } from "../../world/until.ts";

useServices();

const TRANSACTIONS = scenarioSize({ quick: 600, usual: 10_000, whole: 10_000 });
const WRITERS = 4;
const KILLS = scenarioSize({ quick: 4, usual: 20, whole: 40 });
const TIMEOUT_MS = 1_800_000;
const A_SECOND = 100;
const SECONDS = scenarioSize({ quick: 3, usual: 30, whole: 60 });

type Writer = { pid: number | undefined; done: Promise<void>; isDone: () => boolean };

/**
 * A process that is started again, where it was, each time it is killed, until the test ends: without its database it
 * would retry for ever.
 */
function openWriter(application: ApplicationDatabase, nth: number): Writer {
  let isDone = false;
  let isOver = false;
  const writer: Writer = { pid: undefined, done: Promise.resolve(), isDone: () => isDone };
  onTestFinished(() => {
    isOver = true;
    if (!isDone && writer.pid !== undefined) process.kill(writer.pid, "SIGKILL");
  });
  writer.done = (async () => {
    for (let next = nth; next < TRANSACTIONS && !isOver; ) {
      const args = [application.url, next, WRITERS, TRANSACTIONS].map(String);
      const child = spawn(process.execPath, [`${import.meta.dirname}/writer.mjs`, ...args], {
        stdio: ["ignore", "pipe", "inherit"],
      });
      writer.pid = child.pid;
      for await (const line of createInterface({ input: child.stdout })) next = Number(line);
      if (child.exitCode === null && child.signalCode === null) await new Promise((end) => child.once("exit", end));
      if (child.exitCode === 0) break;
    }
    isDone = true;
  })();
  return writer;
}

/** The PostgreSQL of the tests may lose the last commits when it crashes. */
async function keepCommitted(of: TestConnection): Promise<void> {
  await runSql(of, `alter database ${of.database} set synchronous_commit = on`);
  const others = "from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()";
  await runSql(of, `select pg_terminate_backend(pid) ${others}`);
}

/** kill -9 of one backend: PostgreSQL closes every connection of all databases and recovers. */
async function crashDatabase({ connection }: ApplicationDatabase): Promise<void> {
  const [row] = await runSql<{ pid: number }>(
    connection,
    "select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() limit 1",
  ).catch(() => []);
  if (row) process.kill(row.pid, "SIGKILL");
}

/** The harness reads the leases of an instance that it kills. */
function whenRecovered(of: TestConnection): Promise<unknown> {
  return until(
    "PostgreSQL to recover",
    60_000,
    async () => (await attempt(() => runSql(of, "select 1"))) !== undefined,
  );
}

async function attempt<T>(work: () => Promise<T>): Promise<T | undefined> {
  return work().catch(() => undefined);
}

/** Milliseconds from the commit of each order to its run. Both databases are of one server, so they have one clock. */
async function commitToRun(application: TestConnection, service: TestConnection): Promise<number[]> {
  const commits = await runSql<{ n: number; ms: number }>(
    application,
    "select n, extract(epoch from pg_xact_commit_timestamp(xmin))::float8 * 1000 as ms from orders",
  );
  const runs = await runSql<{ n: number; ms: number }>(
    service,
    "select (payload ->> 'n')::int as n, extract(epoch from created_at)::float8 * 1000 as ms from runs",
  );
  const committedMs = new Map(commits.map(({ n, ms }) => [n, ms]));
  return runs.map(({ n, ms }) => ms - (committedMs.get(n) ?? Number.NaN));
}

function summary(durations: readonly number[]): string {
  const sorted = durations.toSorted((a, b) => a - b);
  const at = (share: number) => Math.round(sorted[Math.floor(sorted.length * share)] ?? 0);
  return `p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, max ${at(0.9999)} ms`;
}

it(
  "exactly the committed transactions become runs, once each, with kill -9 on all sides",
  async () => {
    const { instances, receiver, project, random, connection, settle } = await openHarness({
      name: "outbox",
      instances: 2,
    });
    const client = await project();
    const endpoint_url = receiver.endpoint("ship", async ({ dispatch }) => ({ body: { attempt: dispatch.attempt } }));
    await makeJob({ api: client }, { slug: "ship", endpoint_url });
    const application = await applicationDatabase();
    await runSql(application.connection, "create table orders (n int primary key)");
    for (const each of [application.connection, connection]) await keepCommitted(each);
    await client.insist("/v1/outbox-sources", { name: "Shop", database_url: application.url });

    const writers = Array.from({ length: WRITERS }, (_, nth) => openWriter(application, nth));
    const kills = { writer: 0, service: 0, database: 0, network: 0 };
    for (let kill = 0; kill < KILLS; kill++) {
      await pause(200 + random() * 800);
      const kind = random();
      if (kind < 0.4) {
        const alive = writers.filter(({ isDone }) => !isDone());
        const { pid } = alive[Math.floor(random() * alive.length)] ?? {};
        if (pid !== undefined) process.kill(pid, "SIGKILL");
        kills.writer++;
      } else if (kind < 0.7) {
        await whenRecovered(connection);
        await instances.crash(kill % 2, random() * 500);
        kills.service++;
      } else if (kind < 0.85) {
        await attempt(() => crashDatabase(application));
        kills.database++;
      } else {
        await application.network.cut();
        await pause(random() * 500);
        await application.network.heal();
        kills.network++;
      }
    }
    await Promise.all(writers.map(({ done }) => done));

    const left = () =>
      runSql<{ n: number }>(application.connection, "select count(*)::int as n from millrace.enqueued");
    await until("all rows to be drained", 300_000, async () => (await attempt(left))?.[0]?.n === 0);
    await settle(300_000, client);
    const orders = await runSql<{ n: number }>(application.connection, "select n from orders order by n");
    const runs = await runSql<{ n: number }>(
      connection,
      "select (payload ->> 'n')::int as n from runs where project_id = $1 order by 1",
      [client.project_id],
    );
    console.info(`${TRANSACTIONS} transactions, ${orders.length} committed, ${runs.length} runs; kills:`, kills);
    console.info(`from commit to run: ${summary(await commitToRun(application.connection, connection))}`);
    expect(orders.length).toBe(TRANSACTIONS * 0.7);
    expect(runs.map(({ n }) => n)).toEqual(orders.map(({ n }) => n));
  },
  TIMEOUT_MS,
);

it(
  "runs start soon after the commit at 100 a second: figures",
  async () => {
    const { receiver, project } = await openHarness({ name: "outbox latency", instances: 1 });
    const client = await project();
    const startedAt = new Map<number, number>();
    const endpoint_url = receiver.endpoint("ship", async ({ body }) => {
      startedAt.set((body.payload as { n: number }).n, performance.now());
      return { body: {} };
    });
    await makeJob({ api: client }, { slug: "ship", endpoint_url });
    const application = await applicationDatabase();
    await client.post("/v1/outbox-sources", { name: "Shop", database_url: application.url });
    const sentAt = new Map<number, number>();
    const sending: Promise<unknown>[] = [];
    const beganAt = performance.now();
    for (let n = 0; n < A_SECOND * SECONDS; n++) {
      await pause(Math.max(0, beganAt + (n * 1_000) / A_SECOND - performance.now()));
      sentAt.set(n, performance.now());
      sending.push(application.enqueue("ship", { n }));
    }
    await Promise.all(sending);
    await until("all to start", 120_000, () => startedAt.size === sentAt.size);
    const durations = [...sentAt].map(([n, at]) => (startedAt.get(n) ?? 0) - at);
    console.info(`from before the commit to the request: ${summary(durations)}`);
  },
  TIMEOUT_MS,
);

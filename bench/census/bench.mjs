import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { closedLoop } from "../compare/apply-load.mjs";
import { startMeter } from "../compare/cpu-meter.mjs";
import { open as openQueue } from "../compare/millrace.mjs";
import { open as openProjects } from "../compare/millrace-projects.mjs";
import { open as openPull } from "../compare/millrace-pull.mjs";
import { open as openThree } from "../compare/millrace-three.mjs";
import { open as openThreeLimited } from "../compare/millrace-three-limited.mjs";
import { open as openWorkflows } from "../compare/millrace-workflows.mjs";
import { newOrder } from "../compare/order.mjs";
import { openPost } from "../compare/post.mjs";
import { startSink } from "../compare/start-sink.mjs";
import { untilIdle, warmUp } from "../compare/steps.mjs";
import { connectionTo } from "../start-millrace.mjs";
import { dirWithStatementStats } from "./dir-with-statement-stats.mjs";
import { printCensus } from "./print-census.mjs";
import { readWork } from "./read-work.mjs";

// What one run costs: rows, statements, WAL and CPU time, by process and by statement. The consumers of the changelog
// lag by a second or two, so the census goes on until they have caught up.
const CASES = {
  through: { usual: 20_000, open: openQueue },
  three: { usual: 12_000, open: openThree },
  "three-limited": { usual: 12_000, open: openThreeLimited },
  projects: { usual: 10_000, open: openProjects },
  drain: { usual: 20_000, open: openQueue },
  pull: { usual: 20_000, open: openPull },
  steps: { usual: 4_000, open: openWorkflows },
};
const CLIENTS = 32;
const HOLD_AGAIN_MS = 1_000;
const TIMEOUT_MS = 120_000;

/** Takes the leases of all consumers, so that no instance runs them. Longer ones than an instance takes are not respected. */
const HOLD_CONSUMERS = `
  insert into leaders as l (name, holder, epoch, lease_until, next_due_at)
  select c.consumer, gen_random_uuid(), 1, now() + interval '10 seconds', now() from log_cursors c where c.counted_to is null
  on conflict (name) do update set holder = excluded.holder, epoch = l.epoch + 1, lease_until = excluded.lease_until`;

const option = (name) => process.argv.find((each) => each.startsWith(`--${name}=`))?.split("=")[1];
const only = option("only")?.split(",") ?? Object.keys(CASES);
for (const name of only) {
  const n = Number(option("n") ?? CASES[name].usual);
  printCensus(name, n, await takeCensus(name, n));
  if (!process.argv.includes("--consumers")) continue;
  printCensus(`${name}, nobody reads the changelog`, n, await takeCensus(name, n, { isRead: false }));
}

async function takeCensus(name, n, { isRead = true } = {}) {
  const dataDir = await dirWithStatementStats();
  const sink = await startSink();
  const delivery = openPost(sink.url, { connections: 100 });
  const deliver = (order) => delivery.post("/", JSON.stringify(order));
  const system = await CASES[name].open({ sinkUrl: sink.url, deliver, dataDir });
  const client = new pg.Client(connectionTo(dataDir));
  await client.connect();
  let holding;
  try {
    await client.query("create extension if not exists pg_stat_statements");
    const work = await prepare(name, { system, sink, n });
    if (!isRead) {
      await client.query(HOLD_CONSUMERS);
      holding = setInterval(() => client.query(HOLD_CONSUMERS), HOLD_AGAIN_MS);
    }
    await untilRead(client, isRead);
    const before = await readWork(client);
    const meter = startMeter({ ...system.pids, sink: sink.pid });
    await work();
    const ended = meter.stop(n);
    await untilRead(client, isRead);
    return { ended, read: meter.stop(n), before, after: await readWork(client) };
  } finally {
    clearInterval(holding);
    await client.end();
    await system.close();
    await delivery.close();
    sink.stop();
  }
}

/** Warms up; returns the work to be measured. */
async function prepare(name, { system, sink, n }) {
  if (name === "steps") {
    const start = async (count) => {
      sink.expect(count, 3);
      await Promise.all([closedLoop(count, CLIENTS, (nth) => system.startSteps(newOrder(nth))), sink.untilReceived()]);
      await untilIdle(system);
    };
    await start(2_000);
    return () => start(n);
  }
  await system.startWork();
  await warmUp(system, sink);
  if (name !== "drain")
    return async () => {
      sink.expect(n);
      await Promise.all([closedLoop(n, CLIENTS, (nth) => system.enqueue(newOrder(nth))), sink.untilReceived()]);
      await untilIdle(system);
    };
  await system.stopWork();
  sink.expect(n);
  await system.fill(n);
  return async () => {
    await system.startWork();
    await sink.untilReceived();
    await untilIdle(system);
  };
}

async function untilRead(client, isRead) {
  const giveUpAt = performance.now() + TIMEOUT_MS;
  while (isRead && (await countUnread(client)) > 0) {
    if (performance.now() > giveUpAt) throw new Error("the consumers of the changelog did not catch up");
    await pause(250);
  }
  await pause(1_000); // the statistics of a backend follow within a second
}

async function countUnread(client) {
  const { rows } = await client.query(`
    select (select count(*) from changelog_inbox)
      + (select max(h.position - c.position) from log_cursors c, changelog_head h where c.counted_to is null) as count`);
  return Number(rows[0].count);
}

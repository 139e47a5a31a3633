import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { dirWithStatementStats } from "../census/dir-with-statement-stats.mjs";
import { perItem, readWork } from "../census/read-work.mjs";
import { closedLoop } from "../compare/apply-load.mjs";
import { startMeter } from "../compare/cpu-meter.mjs";
import { open } from "../compare/millrace.mjs";
import { newOrder } from "../compare/order.mjs";
import { startSink } from "../compare/start-sink.mjs";
import { untilIdle, warmUp } from "../compare/steps.mjs";
import { connectionTo } from "../start-millrace.mjs";

// Work per run, and of idle instances, with one, two and four instances on one database.
const option = (name, usual) => process.argv.find((each) => each.startsWith(`--${name}=`))?.split("=")[1] ?? usual;
const n = Number(option("n", 6_000));
const idleSecs = Number(option("idle", 20));
const warmUpRuns = Number(option("warm-up", 5_000));
/** With `--list`: how many statements of an idle instance to print, the most frequent first. */
const listed = process.argv.includes("--list") ? 40 : 0;
const CLIENTS = 32;
/** After a load: until the consumers have caught up, and the statistics of all sessions are written. */
const REST_MS = 5_000;

const rows = [];
for (const instances of option("instances", "1,2,4").split(",").map(Number)) {
  const row = await measure(instances);
  process.stdout.write(`${JSON.stringify({ bench: "instances", ...row })}\n`);
  rows.push(row);
}
const titles = Object.keys(rows[0]);
const lines = [titles, titles.map(() => "---"), ...rows.map((row) => Object.values(row))];
process.stdout.write(`${lines.map((cells) => `| ${cells.join(" | ")} |`).join("\n")}\n`);
process.exit();

async function measure(instances) {
  const dataDir = await dirWithStatementStats();
  const sink = await startSink();
  const system = await open({ sinkUrl: sink.url, dataDir, instances });
  const client = new pg.Client(connectionTo(dataDir));
  await client.connect();
  await client.query("create extension if not exists pg_stat_statements");
  try {
    await system.startWork();
    await warmUp(system, sink, warmUpRuns);
    await pause(REST_MS);
    const busy = await observe(system, client, n, async () => {
      sink.expect(n);
      await Promise.all([closedLoop(n, CLIENTS, (nth) => system.enqueue(newOrder(nth))), sink.untilReceived()]);
      await untilIdle(system);
    });
    await pause(REST_MS);
    const idle = await observe(system, client, idleSecs * instances, () => pause(idleSecs * 1_000));
    for (const { calls, text } of idle.all.toSorted((a, b) => b.calls - a.calls).slice(0, listed))
      process.stderr.write(`${calls.toFixed(2)}/s ${text.trim().slice(0, 200)}\n`);
    return {
      instances,
      "runs/s": busy.rate,
      "statements per run": busy.statements.toFixed(2),
      "service µs per run": busy.service,
      "PostgreSQL µs per run": busy.postgres,
      "idle: statements/s of each": idle.statements.toFixed(1),
      "service ms/s of each": (idle.service / 1_000).toFixed(1),
      "PostgreSQL ms/s for each": (idle.postgres / 1_000).toFixed(1),
      "others, cores": `${busy.others_cores}, ${idle.others_cores}`,
    };
  } finally {
    await client.end();
    await system.close();
    sink.stop();
  }
}

/** Per item: statements, and CPU time of all instances and of PostgreSQL. */
async function observe({ pids }, client, items, work) {
  const before = await readWork(client);
  const meter = startMeter(pids);
  await work();
  const { rate, cpu_us_per_item, others_cores } = meter.stop(items);
  await pause(1_100); // the statistics of a session follow within a second
  const after = await readWork(client);
  const statements = perItem(before.statements, after.statements, items);
  const calls = statements.reduce((sum, each) => sum + each.calls, 0);
  const services = Object.entries(cpu_us_per_item).filter(([name]) => name.startsWith("service"));
  const service = Math.round(services.reduce((sum, [, us]) => sum + us, 0));
  return {
    rate,
    others_cores,
    statements: calls,
    all: statements,
    service,
    postgres: Math.round(cpu_us_per_item.postgres),
  };
}

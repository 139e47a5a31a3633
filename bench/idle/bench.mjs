import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { buildServer } from "../../tools/build-server.mjs";
import { perItem, readWork } from "../census/read-work.mjs";
import { startMeter } from "../compare/cpu-meter.mjs";

// What instances cost that have nothing to do and never had: `serve` on an empty database, so without the demo.
// --url=postgres://… is an empty database of a server that has loaded pg_stat_statements.
const option = (name, usual) =>
  process.argv.find((each) => each.startsWith(`--${name}=`))?.slice(name.length + 3) ?? usual;
const url = option("url");
if (!url) throw new Error("--url=postgres://… is missing");
const secs = Number(option("secs", 60));
/** Until the first passes of all tasks are over. */
const START_MS = 45_000;
const listed = process.argv.includes("--list") ? 40 : 0;
const secrets = {
  INTERNAL_SECRET: randomBytes(24).toString("hex"),
  JWT_SIGNING_KEY: randomBytes(24).toString("hex"),
  ENCRYPTION_KEY: randomBytes(32).toString("base64"),
};

const client = new pg.Client(url);
await client.connect();
await client.query("create extension if not exists pg_stat_statements");
const program = await buildServer();
const running = [];
process.once("exit", () => running.forEach((child) => void child.kill("SIGKILL")));
for (const count of option("instances", "1")
  .split(",")
  .map(Number)
  .sort((a, b) => a - b)) {
  while (running.length < count) running.push(start());
  await pause(START_MS);
  await measure(count);
}
for (const child of running) child.kill("SIGTERM");
await Promise.all(running.map((child) => once(child, "exit")));
await client.end();

function start() {
  const env = { ...process.env, ...secrets, DATABASE_URL: url, PORT: "0", HOST: "127.0.0.1", LOG_LEVEL: "error" };
  return spawn(process.execPath, [program, "serve"], { env, stdio: ["ignore", "ignore", "inherit"] });
}

async function measure(count) {
  if (running.some(({ exitCode }) => exitCode !== null)) throw new Error("an instance has ended");
  const before = await readWork(client);
  const meter = startMeter(Object.fromEntries(running.map(({ pid }, nth) => [`service_${nth + 1}`, pid])));
  await pause(secs * 1_000);
  const { cpu_us_per_item, others_cores } = meter.stop(secs * count);
  await pause(1_100); // the statistics of a session follow within a second
  const after = await readWork(client);
  const statements = perItem(before.statements, after.statements, secs * count).filter(({ calls }) => calls > 0);
  for (const { calls, text } of statements.toSorted((a, b) => b.calls - a.calls).slice(0, listed))
    process.stderr.write(`${calls.toFixed(2)}/s ${text.trim().slice(0, 160)}\n`);
  const services = Object.entries(cpu_us_per_item).filter(([name]) => name.startsWith("service"));
  const result = {
    instances: count,
    statements_a_second_of_each: Number(statements.reduce((sum, { calls }) => sum + calls, 0).toFixed(1)),
    service_ms_a_second_of_each: Number((services.reduce((sum, [, us]) => sum + us, 0) / 1_000).toFixed(1)),
    others_cores,
  };
  process.stdout.write(`${JSON.stringify({ bench: "idle", ...result })}\n`);
}

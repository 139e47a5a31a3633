import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import pg from "pg";
import { settleDatabase } from "../compare/settle-database.mjs";
import { tableOf } from "../compare/table-of.mjs";
import { seedRuns } from "../listing/seed-runs.mjs";
import { connectionTo, dataDirOf, startMillrace } from "../start-millrace.mjs";
import { ASKED } from "./asked.mjs";
import { measure } from "./measure.mjs";
import { readSizes, rollUp } from "./roll-up.mjs";

// What analytics take beside millions of runs of the last thirty days, rolled up by the service itself. With
// `--keep=<folder>` all of it stays there, and the next call with the same folder measures at once.
const options = readOptions();
const dataDir = dataDirOf(options.keep);
const millrace = await startMillrace({ dataDir, env: { RUN_RETENTION: "8760h", LOG_RETENTION: "8760h" } });
const client = new pg.Client(connectionTo(dataDir));
await client.connect();

try {
  const seeded = await seedRuns({ ...millrace, client, connect: connectionTo(dataDir) }, options.n, {
    withLives: true,
  });
  const roll_secs = seeded.added > 0 || options["roll-up"] ? await rollUp(client) : 0;
  if (roll_secs > 0) await settleDatabase(client);
  const lines = [];
  for (const asked of ASKED) {
    if (options.only && !asked.name.includes(options.only)) continue;
    const line = { bench: "analytics", n: options.n, name: asked.name, ...(await measure(millrace, asked, options)) };
    process.stdout.write(`${JSON.stringify(line)}\n`);
    lines.push({ ...line, least: asked.least });
  }
  print(lines, { ...seeded, roll_secs, size: await readSizes(client) });
} finally {
  await client.end();
  await millrace.stop();
}
process.exit();

function print(lines, { seed_secs, roll_secs, size }) {
  const table = tableOf([
    ["asked", "p50 ms", "p95 ms", "max ms", "KB", "least"],
    ...lines.map(({ name, ms, kb, least }) => [name, ms.p50, ms.p95, ms.max, kb, least]),
  ]);
  const machine = `Node ${process.version}, ${availableParallelism()} cores, ${process.arch}.`;
  const rate = roll_secs > 0 ? ` (${Math.round(options.n / roll_secs).toLocaleString("en")} runs/s)` : "";
  process.stdout.write(`\n## analytics: ${options.n.toLocaleString("en")} runs\n\n${table}\n
Seeded in ${seed_secs} s, rolled up in ${roll_secs} s${rate}. Roll-ups: ${size}. ${machine}\n`);
}

/** `--n` runs, `--calls` of each question, `--only` those whose name holds this, `--keep` a folder, `--roll-up` again. */
function readOptions() {
  const { values } = parseArgs({
    options: {
      n: { type: "string", default: "10000000" },
      calls: { type: "string", default: "100" },
      only: { type: "string" },
      keep: { type: "string" },
      "roll-up": { type: "boolean", default: false },
    },
    allowPositionals: true,
  });
  return { ...values, n: Number(values.n), calls: Number(values.calls) };
}

import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import pg from "pg";
import { settleDatabase } from "../compare/settle-database.mjs";
import { tableOf } from "../compare/table-of.mjs";
import { connectionTo, dataDirOf, startMillrace } from "../start-millrace.mjs";
import { ASKED } from "./asked.mjs";
import { measure } from "./measure.mjs";
import { seedRuns } from "./seed-runs.mjs";

// What a page of runs takes beside millions of them. The runs are seeded once; with `--keep=<folder>` they stay there,
// and the next call with the same folder measures at once.
const options = readOptions();
const dataDir = dataDirOf(options.keep);
const millrace = await startMillrace({ dataDir, env: { RUN_RETENTION: "8760h" } });
const client = new pg.Client(connectionTo(dataDir));
await client.connect();

try {
  const seeded = await seedRuns({ ...millrace, client, connect: connectionTo(dataDir) }, options.n);
  if (seeded.added > 0) await settleDatabase(client);
  const lines = [];
  for (const asked of ASKED) {
    if (options.only && !asked.name.includes(options.only)) continue;
    const line = { bench: "listing", n: options.n, name: asked.name, ...(await measure(millrace, asked, options)) };
    process.stdout.write(`${JSON.stringify(line)}\n`);
    lines.push({ ...line, least: asked.least ?? "–" });
  }
  print(lines, seeded);
} finally {
  await client.end();
  await millrace.stop();
}
process.exit();

function print(lines, { seed_secs, file_secs, size }) {
  const table = tableOf([
    ["a page of", "p50 ms", "p95 ms", "max ms", "rows", "least"],
    ...lines.map(({ name, ms, rows, least }) => [name, ms.p50, ms.p95, ms.max, rows, least]),
  ]);
  const machine = `Node ${process.version}, ${availableParallelism()} cores, ${process.arch}.`;
  process.stdout.write(`\n## listing: ${options.n.toLocaleString("en")} runs\n\n${table}\n
Seeded in ${seed_secs} s, filed ${file_secs} s later. Sizes: ${size}. ${machine}\n`);
}

/** `--n` runs in the table, `--calls` for each kind of page, `--only` those whose name holds this, `--keep` a folder. */
function readOptions() {
  const { values } = parseArgs({
    options: {
      n: { type: "string", default: "1000000" },
      calls: { type: "string", default: "200" },
      only: { type: "string" },
      keep: { type: "string" },
    },
    allowPositionals: true,
  });
  return { ...values, n: Number(values.n), calls: Number(values.calls) };
}

import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import pg from "pg";
import { connectionTo, dataDirOf, startMillrace } from "../start-millrace.mjs";
import { tableOf } from "./table-of.mjs";

/**
 * Measures requests with millions of runs in the database. `prepare` creates the data; with `--keep=<folder>` it is
 * kept, and the next run with the same folder skips this. `measure` returns `ms` and the values of `columns`.
 */
export async function measureRequests({
  bench,
  n,
  calls,
  env,
  flags = {},
  prepare,
  requests,
  measure,
  columns,
  summary,
}) {
  const options = readOptions({ n, calls, flags });
  const dataDir = dataDirOf(options.keep);
  const millrace = await startMillrace({ dataDir, env: { RUN_RETENTION: "8760h", ...env } });
  const client = new pg.Client(connectionTo(dataDir));
  await client.connect();
  try {
    const prepared = await prepare({ ...millrace, client, connect: connectionTo(dataDir) }, options);
    const lines = [];
    for (const each of requests.filter(({ name }) => name.includes(options.only ?? ""))) {
      const line = { bench, n: options.n, name: each.name, ...(await measure(millrace, each, options)) };
      process.stdout.write(`${JSON.stringify(line)}\n`);
      lines.push({ ...line, target: each.target ?? "–" });
    }
    print(`${bench}: ${options.n.toLocaleString("en")} runs`, lines, columns, summary(prepared, options));
  } finally {
    await client.end();
    await millrace.stop();
  }
  process.exit();
}

function print(title, lines, columns, note) {
  const table = tableOf([
    ["request", "p50 ms", "p95 ms", "max ms", ...columns, "target"],
    ...lines.map((line) => [
      line.name,
      line.ms.p50,
      line.ms.p95,
      line.ms.max,
      ...columns.map((name) => line[name]),
      line.target,
    ]),
  ]);
  const machine = `Node ${process.version}, ${availableParallelism()} cores, ${process.arch}.`;
  process.stdout.write(`\n## ${title}\n\n${table}\n\n${note} ${machine}\n`);
}

/**
 * `--n` runs in the table, `--calls` per request, `--only` requests whose name contains this text, `--keep` a folder.
 */
function readOptions({ n, calls, flags }) {
  const { values } = parseArgs({
    options: {
      n: { type: "string", default: String(n) },
      calls: { type: "string", default: String(calls) },
      only: { type: "string" },
      keep: { type: "string" },
      ...flags,
    },
    allowPositionals: true,
  });
  return { ...values, n: Number(values.n), calls: Number(values.calls) };
}

import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import pg from "pg";
import { connectionTo, dataDirOf, startMillrace } from "../start-millrace.mjs";
import { tableOf } from "./table-of.mjs";

/**
 * What questions take beside millions of runs. `prepare` brings the data about, once: with `--keep=<folder>` it stays
 * there, and the next call with the same folder measures at once. `measure` gives `ms` and what `columns` tell more.
 */
export async function askBesideRuns({ bench, n, calls, env, flags = {}, prepare, asked, measure, columns, tell }) {
  const options = readOptions({ n, calls, flags });
  const dataDir = dataDirOf(options.keep);
  const millrace = await startMillrace({ dataDir, env: { RUN_RETENTION: "8760h", ...env } });
  const client = new pg.Client(connectionTo(dataDir));
  await client.connect();
  try {
    const prepared = await prepare({ ...millrace, client, connect: connectionTo(dataDir) }, options);
    const lines = [];
    for (const each of asked.filter(({ name }) => name.includes(options.only ?? ""))) {
      const line = { bench, n: options.n, name: each.name, ...(await measure(millrace, each, options)) };
      process.stdout.write(`${JSON.stringify(line)}\n`);
      lines.push({ ...line, least: each.least ?? "–" });
    }
    print(`${bench}: ${options.n.toLocaleString("en")} runs`, lines, columns, tell(prepared, options));
  } finally {
    await client.end();
    await millrace.stop();
  }
  process.exit();
}

function print(title, lines, columns, told) {
  const table = tableOf([
    ["asked", "p50 ms", "p95 ms", "max ms", ...columns, "least"],
    ...lines.map((line) => [
      line.name,
      line.ms.p50,
      line.ms.p95,
      line.ms.max,
      ...columns.map((name) => line[name]),
      line.least,
    ]),
  ]);
  const machine = `Node ${process.version}, ${availableParallelism()} cores, ${process.arch}.`;
  process.stdout.write(`\n## ${title}\n\n${table}\n\n${told} ${machine}\n`);
}

/** `--n` runs in the table, `--calls` of each question, `--only` those whose name holds this, `--keep` a folder. */
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

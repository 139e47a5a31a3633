import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { openPost } from "./post.mjs";
import { startSink } from "./start-sink.mjs";
import { fileOf } from "./systems.mjs";

// Measures one system once: `node bench/compare/measure-system.mjs through pg-boss '{"n":1000}'`. Prints one line of
// JSON.
const [bench, name, options = "{}"] = process.argv.slice(2);
const { measure, as = "queue" } = await load(join(import.meta.dirname, "..", bench, "measure.mjs"));
const { open } = await load(fileOf(name, as));

const sink = await startSink();
const delivery = openPost(sink.url, { connections: 100 });
const deliver = (order) => delivery.post("/", JSON.stringify(order));
const system = await open({ sinkUrl: sink.url, deliver, bench });
const close = async () => {
  await system.close();
  await delivery.close();
  sink.stop();
};
process.once("SIGTERM", () => close().finally(() => process.exit(1)));
process.once("SIGINT", () => close().finally(() => process.exit(1)));

try {
  const { case: caseName, ...given } = JSON.parse(options);
  const result = await measure({ name, system, sink, ...given });
  const line = { bench, case: caseName, system: name, version: system.version, node: process.version, ...result };
  process.stdout.write(`${JSON.stringify(line)}\n`);
} finally {
  await close();
}
process.exit(); // libraries leave timers running

function load(file) {
  return import(pathToFileURL(file).href);
}

import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { printTable } from "./print-table.mjs";
import { ALL_SYSTEMS, chooseSystems, USUAL_SYSTEMS } from "./systems.mjs";

/**
 * Runs one benchmark of all systems, interleaved, each in its own process. Prints a line of JSON per measurement and
 * a table of medians. A plan has `bench` (the folder of its measure.mjs, which measures systems as queues unless it
 * exports `as = "workflows"`), `title`, `unit` and `n`, and optionally the supported `systems`, the `usual` ones that are
 * measured without `--only`, `cases` ({name, systems, options}), and how to read a line: `figure`, `lowerIsBetter`, `ratioTo` a case.
 */
export async function compare(plan) {
  const { rounds, only, ...given } = readOptions(plan.usual ?? USUAL_SYSTEMS);
  const { as = "queue" } = await import(pathToFileURL(join(import.meta.dirname, "..", plan.bench, "measure.mjs")).href);
  const runs = planRuns(plan, given, chooseSystems(only, as));
  const lines = [];
  for (let round = 0; round < rounds; round++) {
    for (const run of startingAt(runs, round)) lines.push(await measureSystem(plan.bench, run));
  }
  printTable(plan, lines);
  if (lines.some((line) => line.failed)) process.exitCode = 1;
}

/** `--n` runs per measurement, `--seeded` additional runs (history). */
function readOptions(usual) {
  const text = { type: "string" };
  const options = {
    rounds: { ...text, default: "3" },
    only: { ...text, default: usual.join(",") },
    n: text,
    seeded: text,
  };
  const { rounds, only, ...given } = parseArgs({ options, allowPositionals: true }).values;
  const numbers = Object.entries(given).map(([name, value]) => [name, Number(value)]);
  return { rounds: Number(rounds), only: only.split(","), ...Object.fromEntries(numbers) };
}

function planRuns({ cases = [{}], n, systems = ALL_SYSTEMS }, given, chosen) {
  return cases.flatMap((one) => {
    const able = one.systems ?? systems;
    const options = { case: one.name, n, ...one.options, ...given };
    return chosen.filter((name) => able.includes(name)).map((name) => ({ name, options }));
  });
}

/**
 * Each round starts with another system, so that none always runs while the machine is still busy with the previous
 * one.
 */
function startingAt(runs, round) {
  const first = round % runs.length;
  return [...runs.slice(first), ...runs.slice(0, first)];
}

async function measureSystem(bench, { name, options }) {
  const file = join(import.meta.dirname, "measure-system.mjs");
  const child = spawn(process.execPath, [file, bench, name, JSON.stringify(options)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const stop = () => {
    child.once("close", () => process.exit(1));
    child.kill("SIGTERM");
  };
  process.once("SIGTERM", stop);
  let output = "";
  child.stdout.on("data", (chunk) => {
    output += chunk;
  });
  const [code] = await once(child, "close");
  process.off("SIGTERM", stop);
  process.stdout.write(output);
  return code === 0 ? JSON.parse(output) : { case: options.case, system: name, failed: true };
}

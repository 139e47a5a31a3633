import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ensureInstalled, fail, root } from "./ensure-installed.mjs";
import { PROCESS_TESTS } from "./process-tests.mjs";

// `npm test`, or `npm test -- server/src/api` for a part; `npm run test:soak -- service` for one soak suite,
// `-- service browser` for several in one run, `-- all` for all of them, one after the other. Installs missing
// dependencies and starts its own PostgreSQL.
await ensureInstalled();
const args = process.argv.slice(2);
process.exit(args[0] === "--soak" ? runSoak(args.slice(1)) : vitest(args));

function vitest(options, env = {}) {
  const program = join(root, "node_modules", "vitest", "vitest.mjs");
  const how = { cwd: root, stdio: "inherit", env: { ...process.env, ...env } };
  return spawnSync(process.execPath, [program, "run", ...options], how).status ?? 1;
}

function runSoak(args) {
  const suites = soakSuites();
  const firstOption = args.findIndex((arg) => arg.startsWith("-"));
  const names = firstOption < 0 ? args : args.slice(0, firstOption);
  const options = args.slice(names.length);
  if (names[0] === "all") return runAll(suites, options);
  if (names.length === 0 || !names.every((name) => suites.has(name)))
    fail(`usage: npm run test:soak -- <${[...suites.keys(), "all"].join(" | ")}> …`);
  return vitest([...new Set(names.flatMap((name) => suites.get(name))), ...options], envOf(names));
}

/** The dashboard's other suites run in Chromium. */
function envOf(names) {
  return names.includes("firefox") ? { DASHBOARD_BROWSER: "firefox" } : {};
}

/** Each folder of server/test/soak is a suite. The dashboard has a short one for CI, a long one, and one in Firefox. */
function soakSuites() {
  const entries = readdirSync(join(root, "server", "test", "soak"), { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  const suites = new Map(folders.sort().map((name) => [name, [`server/test/soak/${name}/`]]));
  // They start processes and wait for them.
  suites.get("service").push("--maxWorkers=3", ...PROCESS_TESTS);
  suites.set("browser", ["--maxWorkers=3", "dashboard/test/browser/"]);
  // They measure durations, so their files run one at a time.
  const alone = "--no-file-parallelism";
  for (const name of ["promises", "changelog", "workers", "pooler", "failover", "load", "citus", "growth"])
    suites.set(name, [alone, `server/test/soak/${name}/`]);
  suites.set("firefox", [alone, "dashboard/test/soak/journeys.test.ts"]);
  return suites.set("dashboard", [alone, "dashboard/test/soak/"]);
}

/** Runs every suite, also after a failure, and prints a table. */
function runAll(suites, options) {
  const reports = mkdtempSync(join(tmpdir(), "millrace-soak-"));
  const rows = [];
  for (const [name, suite] of suites) {
    process.stdout.write(`\n── ${name} ──\n`);
    const report = join(reports, `${name}.json`);
    const startedAt = performance.now();
    const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
    const status = vitest([...suite, ...reporters, ...options], envOf([name]));
    const minutes = (performance.now() - startedAt) / 60_000;
    rows.push([name, passedOf(report), status === 0 ? "passed" : "FAILED", minutes.toFixed(1)]);
  }
  rmSync(reports, { recursive: true, force: true });
  printTable([["suite", "tests passed", "result", "minutes"], ...rows]);
  return rows.some(([, , result]) => result === "FAILED") ? 1 : 0;
}

/** There is no report if the suite could not start. */
function passedOf(report) {
  if (!existsSync(report)) return "-";
  const { numPassedTests, numTotalTests } = JSON.parse(readFileSync(report, "utf8"));
  return `${numPassedTests} of ${numTotalTests}`;
}

function printTable(rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  const lineOf = (row) => row.map((cell, column) => cell.padEnd(widths[column])).join("   ");
  process.stdout.write(`\n${rows.map((row) => lineOf(row).trimEnd()).join("\n")}\n`);
}

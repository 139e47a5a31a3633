import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../../../", import.meta.url));
const VITEST = join(ROOT, "node_modules", "vitest", "vitest.mjs");
const CONFIG = "server/test/soak/mutants/vitest.mutant.config.ts";

export type TestRun = {
  status: number | null;
  /** The first failed test. Undefined: none failed, whatever the exit status. */
  failed: { file: string; title: string; message: string } | undefined;
  secs: number;
  /** For failures other than failed tests. */
  output: string;
};

type Result = { status: string; fullName: string; failureMessages: string[] };
type Report = {
  testResults: { name: string; assertionResults: Result[] }[];
};

/** Runs test files below `server/src/` in a separate process, against a mutant if one is named. */
export async function runTests(tests: readonly string[], postgres: object, mutant = ""): Promise<TestRun> {
  const folder = mkdtempSync(join(tmpdir(), "millrace-mutant-"));
  const report = join(folder, "report.json");
  const files = tests.map((test) => `server/src/${test}`);
  const options = ["--config", CONFIG, "--bail=1", "--reporter=json", `--outputFile=${report}`];
  const startedAt = performance.now();
  const child = spawn(process.execPath, [VITEST, "run", ...options, ...files], {
    cwd: ROOT,
    env: { ...process.env, MUTANT: mutant, MUTANT_POSTGRES: JSON.stringify(postgres) },
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += chunk));
  const [status] = await once(child, "close");
  const secs = (performance.now() - startedAt) / 1_000;
  const run = { status, failed: firstFailed(report), secs, output: output.slice(-4_000) };
  rmSync(folder, { recursive: true, force: true });
  return run;
}

function firstFailed(report: string): TestRun["failed"] {
  const { testResults } = JSON.parse(readFileSync(report, "utf8")) as Report;
  for (const { name, assertionResults } of testResults) {
    const failed = assertionResults.find(({ status }) => status === "failed");
    if (!failed) continue;
    const [message = ""] = (failed.failureMessages[0] ?? "").split("\n");
    return { file: relative(join(ROOT, "server", "src"), name), title: failed.fullName, message };
  }
  return undefined;
}

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { bundleForTests } from "../../server/test/world/bundle-for-tests.ts";
import { whenFileEnds } from "../../server/test/world/end-of-file.ts";

const ROOT = resolve(import.meta.dirname, "../..");

export type Ended = { code: number | null; stdout: string; stderr: string };
export type RunOptions = { env?: Record<string, string>; cwd?: string; stdin?: string };
export type Spawned = { ended: Promise<Ended>; output: () => string; signal: (signal: NodeJS.Signals) => void };

/** Runs `millrace <args>` as a process with pipes as its three streams. */
export async function spawnMillrace(
  args: readonly string[],
  { env = {}, cwd = newFolder(), stdin = "" }: RunOptions = {},
): Promise<Spawned> {
  const child = spawn(process.execPath, [await program(), ...args], { cwd, env: cleanEnv(env) });
  const out = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name].setEncoding("utf8").on("data", (text: string) => {
      out[name] += text;
    });
  }
  child.stdin.on("error", () => {}); // it may have exited without reading
  child.stdin.end(stdin);
  const ended = new Promise<Ended>((tell) => child.once("close", (code) => tell({ code, ...out })));
  whenFileEnds(async () => void child.kill("SIGKILL"));
  return { ended, output: () => out.stdout + out.stderr, signal: (signal) => void child.kill(signal) };
}

/** Isolates commands from the machine that runs the tests: with their own home and state. */
export function cleanEnv(env: Record<string, string>): Record<string, string> {
  return { PATH: process.env.PATH ?? "", HOME: newFolder(), ...env };
}

/** An empty folder, deleted after the test file. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "millrace-cli-"));
  whenFileEnds(async () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

let built: Promise<string> | undefined;

/** Path of the built command. */
export function program(): Promise<string> {
  built ??= buildProgram();
  return built;
}

async function buildProgram(): Promise<string> {
  const { CLI_BUNDLE } = await import(pathToFileURL(join(ROOT, "tools", "build-cli.mjs")).href);
  const cli = await bundleForTests("cli/src/main.ts", "cli/dist/cli.js", CLI_BUNDLE);
  const service = await bundleForTests("server/src/main.ts", "server/dist/main.js");
  const tool = await bundleForTests("server/src/main/database-tool.ts", "server/dist/database-tool.js");
  const file = cli.replace(/cli\.js$/, `program-${process.pid}.js`);
  writeFileSync(file, programText(basename(cli), service, tool));
  return file;
}

/** Like tools/millrace.mjs, but without updating node_modules, which other tests use. */
function programText(cli: string, service: string, tool: string): string {
  return `import { runAsProgram } from "./${cli}";
await runAsProgram({
  start: async (mode) => {
    process.argv.splice(2, Infinity, mode);
    return (await import(${JSON.stringify(pathToFileURL(service).href)})).started;
  },
  databaseTool: () => import(${JSON.stringify(pathToFileURL(tool).href)}),
});
`;
}

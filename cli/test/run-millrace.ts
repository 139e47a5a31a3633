import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { isRunning } from "../../server/src/platform/embedded-postgres/running-process.ts";
import { whenFileEnds } from "../../server/test/end-of-file.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const DIST = join(ROOT, "cli", "dist");

/** The built command, as a file that node runs. */
export const PROGRAM = await buildForThisWorker();

export type Ended = { code: number | null; stdout: string; stderr: string };
export type RunOptions = { env?: Record<string, string>; cwd?: string; stdin?: string };

/** `millrace <args>` with its three streams as pipes. */
export function millrace(args: readonly string[], options: RunOptions = {}): Promise<Ended> {
  return startMillrace(args, options).ended;
}

export type Running = { ended: Promise<Ended>; output: () => string; signal: (signal: NodeJS.Signals) => void };

/** The same, while it runs. */
export function startMillrace(args: readonly string[], { env = {}, cwd, stdin }: RunOptions = {}): Running {
  const child = spawn(process.execPath, [PROGRAM, ...args], { cwd: cwd ?? newFolder(), env: cleanEnv(env) });
  const out = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name].setEncoding("utf8").on("data", (text: string) => {
      out[name] += text;
    });
  }
  child.stdin.on("error", () => {}); // it may have ended without reading
  child.stdin.end(stdin ?? "");
  const ended = new Promise<Ended>((tell) => child.once("close", (code) => tell({ code, ...out })));
  whenFileEnds(async () => void child.kill("SIGKILL"));
  return { ended, output: () => out.stdout + out.stderr, signal: (signal) => void child.kill(signal) };
}

/** Nothing of the machine that runs the tests: a home and a state of its own. */
export function cleanEnv(env: Record<string, string>): Record<string, string> {
  return { PATH: process.env.PATH ?? "", HOME: newFolder(), ...env };
}

/** An empty folder, gone with the test file. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "millrace-cli-"));
  whenFileEnds(async () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Beside the usual build, so that neither an edit nor another run changes the command in the middle of a test. */
async function buildForThisWorker(): Promise<string> {
  const { bundle } = await import(pathToFileURL(join(ROOT, "tools", "build-server.mjs")).href);
  const { CLI_BUNDLE } = await import(pathToFileURL(join(ROOT, "tools", "build-cli.mjs")).href);
  const server = join(ROOT, "server");
  mkdirSync(DIST, { recursive: true });
  const built = (name: string) => `for-tests-${process.pid}-${name}.js`;
  await bundle(join(ROOT, "cli", "src", "main.ts"), join(DIST, built("cli")), CLI_BUNDLE);
  for (const [name, source] of [
    ["service", "main.ts"],
    ["tool", "main/database-tool.ts"],
  ] as const) {
    await bundle(join(server, "src", source), join(server, "dist", built(name)));
  }
  for (const folder of [DIST, join(server, "dist")]) removeOld(folder);
  const program = join(DIST, built("program"));
  writeFileSync(
    program,
    programText(built("cli"), join(server, "dist", built("service")), join(server, "dist", built("tool"))),
  );
  return program;
}

function removeOld(folder: string): void {
  for (const name of readdirSync(folder)) {
    const pid = Number(/^for-tests-(\d+)/.exec(name)?.[1] ?? process.pid);
    if (!isRunning(pid)) rmSync(join(folder, name), { force: true });
  }
}

/** As tools/millrace.mjs, without bringing node_modules in line: other tests stand on them. */
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

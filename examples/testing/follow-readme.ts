import { spawn } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join, resolve } from "node:path";
import { removeDataDir } from "../../server/src/platform/embedded-postgres/cluster/remove-data-dir.ts";
import { until } from "../../server/test/world/until.ts";
import { type Block, commandsOf, readBlocks } from "./readme-blocks.ts";
import { type Program, runProgram } from "./run-program.ts";

export const ROOT = resolve(import.meta.dirname, "../..");

export type Followed = {
  /** Every command with its output and duration in milliseconds. */
  steps: { command: string; code: number | null; output: string; ms: number }[];
  /** The output of the service started by `npm start`. */
  banner: string;
  worker: string;
};

/** A reader's machine: a checkout that only contains links to this one, and an empty folder. */
type Folders = { folder: string; checkout: string; shop: string; env: Record<string, string> };

/** Follows the README block by block from an empty folder. `port` replaces 8787, `workerPort` replaces 3000. */
export async function followReadme(port: number, workerPort: number): Promise<Followed> {
  const blocks = readBlocks(join(ROOT, "README.md"));
  const of = (heading: string) => blocks.filter((block) => block.heading === heading && block.language !== "");
  const [npmStart, demo] = of("Start");
  const [install, workerFile, startWorker, use, bare] = of("Your own job");
  if (!npmStart || !demo || !install || !workerFile || !startWorker || !use || !bare) {
    throw new Error(`the blocks of the README have changed, at lines ${blocks.map(({ line }) => line).join(", ")}`);
  }
  const adapt = (text: string) => text.replaceAll("8787", String(port)).replaceAll("3000", String(workerPort));
  const folders = prepareFolders(port);
  const { start, run, steps, stop } = openTerminals(folders, adapt);
  try {
    const service = await start(folders.checkout, npmStart, /Stop +Ctrl-C/);
    await until(".env.local to be written", 20_000, () => existsSync(join(folders.checkout, ".env.local")));
    folders.env.KEY = /API key +(svc_\S+)/.exec(service.printed())?.[1] ?? "";
    for (const block of [demo, install]) await run(folders.shop, block);
    writeFileSync(join(folders.shop, "worker.mjs"), adapt(workerFile.text));
    const worker = await start(folders.shop, startWorker, /serving/);
    for (const block of [use, bare]) await run(folders.shop, block);
    return { steps, banner: service.printed(), worker: worker.printed() };
  } finally {
    await stop();
    removeDataDir(join(folders.folder, "data"));
    rmSync(folders.folder, { recursive: true, force: true, maxRetries: 20 });
  }
}

/** One terminal per long-running program, and one for the other commands. */
function openTerminals(folders: Folders, adapt: (text: string) => string) {
  const steps: Followed["steps"] = [];
  const running: Program[] = [];

  async function start(folder: string, block: Block, sign: RegExp): Promise<Program> {
    const command = block.text.trim();
    const startedAt = performance.now();
    const program = runProgram(folder, ["sh", "-c", `exec ${command}`], folders.env);
    running.push(program);
    await until(`${command} to print ${sign}`, 120_000, () => {
      if (program.child.exitCode !== null) throw new Error(`${command} exited:\n${program.errors()}`);
      return sign.test(program.printed());
    });
    steps.push({ command, code: null, output: program.printed(), ms: performance.now() - startedAt });
    return program;
  }

  async function run(folder: string, block: Block): Promise<void> {
    const aliases: string[] = [];
    for (const command of commandsOf(block)) {
      const alias = /^alias (\w+)="(.*)"$/.exec(command);
      // Aliases only work in interactive shells, so a script uses functions.
      if (alias) aliases.push(`${alias[1]}() { ${alias[2]} "$@"; }`);
      else steps.push(await runCommand(folders, folder, [...aliases, adapt(command)].join("\n")));
    }
  }

  async function stop(): Promise<void> {
    for (const { signal, ended } of running.reverse()) {
      signal("SIGINT");
      await ended;
    }
  }
  return { start, run, stop, steps };
}

function prepareFolders(port: number): Folders {
  const folder = mkdtempSync("/tmp/millrace-readme-");
  chmodSync(folder, 0o755); // PostgreSQL does not run as root, so another user must be able to reach it
  const [checkout, shop] = [join(folder, "millrace"), join(folder, "shop")];
  for (const each of [checkout, shop, join(folder, "home")]) mkdirSync(each, { recursive: true });
  copyFileSync(join(ROOT, "package.json"), join(checkout, "package.json"));
  for (const name of ["tools", "sdk"]) symlinkSync(join(ROOT, name), join(checkout, name));
  const env = {
    PATH: process.env.PATH ?? "",
    HOME: join(folder, "home"),
    MILLRACE: checkout,
    MILLRACE_DATA_DIR: join(folder, "data"),
    PORT: String(port),
    npm_config_update_notifier: "false",
  };
  return { folder, checkout, shop, env };
}

async function runCommand({ env }: Folders, folder: string, script: string): Promise<Followed["steps"][number]> {
  const startedAt = performance.now();
  const child = spawn("sh", ["-c", script], { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text) => {
      output += text;
    });
  }
  const code = await new Promise<number | null>((tell) => child.once("close", tell));
  return { command: script.split("\n").at(-1) ?? "", code, output, ms: performance.now() - startedAt };
}

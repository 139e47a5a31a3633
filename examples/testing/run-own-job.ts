import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { millrace } from "../../cli/test/millrace.ts";
import { freePort } from "../../server/test/outside/free-port.ts";
import { whenFileEnds } from "../../server/test/world/end-of-file.ts";
import { until } from "../../server/test/world/until.ts";
import { type ExampleService, exampleService } from "./example-service.ts";
import { ROOT } from "./follow-readme.ts";
import { commandsOf, readBlocks } from "./readme-blocks.ts";
import { runProgram } from "./run-program.ts";

type Ended = { command: string; code: number | null; output: string };

/** Runs "Your own job" of the README against a test service: its worker as a process, its commands in order. */
export async function runOwnJob() {
  const blocks = readBlocks(join(ROOT, "README.md")).filter(({ heading }) => heading === "Your own job");
  const [, workerFile, , use, bare] = blocks;
  if (!workerFile || !use || !bare) throw new Error("the blocks of the README have changed");
  const world = await exampleService();
  const home = mkdtempSync(join(tmpdir(), "millrace-own-job-"));
  whenFileEnds(async () => rmSync(home, { recursive: true, force: true }));
  const worker = await startWorker(workerFile.text, home, world);
  const ended: Ended[] = [];
  for (const command of [use, bare].flatMap(commandsOf)) {
    if (command.startsWith("curl ")) ended.push(await runCurl(command, world));
    else if (command.startsWith("millrace ")) ended.push(await runMillrace(command, { ...world.env, HOME: home }));
  }
  const outputOf = (part: string): Ended => {
    const found = ended.find(({ command }) => command.includes(part));
    if (!found) throw new Error(`the README has no command with ${part}`);
    return found;
  };
  await until("the workflow run to complete", 20_000, async () => {
    return (await millrace(["workflow-runs", "list"], { env: world.env })).stdout.includes("completed");
  });
  return { worker: worker.printed(), outputOf };
}

async function startWorker(text: string, home: string, { env }: ExampleService) {
  const outfile = join(home, "worker.mjs");
  const contents = text.replaceAll("3000", String(await freePort()));
  const stdin = { contents, resolveDir: join(ROOT, "examples") };
  await build({ stdin, outfile, bundle: true, platform: "node", target: "node20", format: "esm", logLevel: "error" });
  const worker = runProgram(home, [process.execPath, outfile], env);
  await until("the worker to serve", 60_000, () => {
    if (worker.child.exitCode !== null) throw new Error(`the worker exited:\n${worker.errors()}`);
    return worker.printed().includes("serving");
  });
  return worker;
}

async function runMillrace(command: string, env: Record<string, string>): Promise<Ended> {
  const words = [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? "");
  const { code, stdout, stderr } = await millrace(words.slice(1), { env });
  return { command, code, output: stdout + stderr };
}

async function runCurl(command: string, { url, key }: ExampleService): Promise<Ended> {
  const script = command.replaceAll("http://localhost:8787", url);
  const { code, stdout, stderr } = await runProgram("/", ["sh", "-c", script], { KEY: key }).ended;
  return { command, code, output: stdout + stderr };
}

import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { expect } from "vitest";
import { whenFileEnds } from "../../server/test/world/end-of-file.ts";
import { exampleService } from "./example-service.ts";
import { runProgram } from "./run-program.ts";

const ROOT = join(import.meta.dirname, "..", "..");

/** Runs the example in a folder against a service, and compares its output with `output.txt`. */
export async function expectOutput(name: string): Promise<void> {
  await expectOutputOf(name, await buildExample(name));
}

/** The same, with the command from the examples' README. */
export async function expectOutputOfCommand(name: string): Promise<void> {
  await expectOutputOf(name, join(ROOT, "tools", "run-example.mjs"), name);
}

async function expectOutputOf(name: string, ...args: string[]): Promise<void> {
  const world = await exampleService();
  const folder = join(ROOT, "examples", name);
  const { code, stdout, stderr } = await runProgram(folder, [process.execPath, ...args], world.env).ended;
  expect(stderr).toBe("");
  expect(stdout).toBe(expectedOutput(folder));
  expect(code).toBe(0);
}

/** Like tools/run-example.mjs, with one bundler process for all examples of a test worker. */
async function buildExample(name: string): Promise<string> {
  const outfile = join(ROOT, "examples", "dist", `${name}-test-${process.pid}.mjs`);
  whenFileEnds(async () => rmSync(outfile, { force: true }));
  const entryPoints = [join(ROOT, "examples", name, "main.ts")];
  await build({ entryPoints, outfile, bundle: true, platform: "node", target: "node20", format: "esm" });
  return outfile;
}

/** The expected output of the example. */
export function expectedOutput(folder: string): string {
  return readFileSync(join(folder, "output.txt"), "utf8");
}

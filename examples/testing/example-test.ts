import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { exampleWorld } from "./example-world.ts";
import { runProgram } from "./run-program.ts";

const ROOT = join(import.meta.dirname, "..", "..");

/** Runs the example of a folder against a service, and compares what it prints with its `output.txt`. */
export async function expectOutput(name: string): Promise<void> {
  const world = await exampleWorld();
  const command = [process.execPath, join(ROOT, "tools", "run-example.mjs"), name];
  const folder = join(ROOT, "examples", name);
  const { code, stdout, stderr } = await runProgram(folder, command, world.env).ended;
  expect(stderr).toBe("");
  expect(stdout).toBe(expectedOutput(folder));
  expect(code).toBe(0);
}

/** What the example says that it prints. */
export function expectedOutput(folder: string): string {
  return readFileSync(join(folder, "output.txt"), "utf8");
}

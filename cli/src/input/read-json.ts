import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Cli } from "../cli.ts";
import { CommandError } from "../command-error.ts";

/** Parses the value of `-d`: JSON, `@file`, or `-` for stdin. */
export async function readJson(cli: Cli, given: string): Promise<unknown> {
  const source = await readSource(cli, given);
  try {
    return JSON.parse(source.text);
  } catch (error) {
    const hint =
      given.startsWith("@") || given === "-"
        ? []
        : ['Quote the JSON for the shell: -d \'{"name": "Ada"}\', or use @file.'];
    throw new CommandError("usage", `${source.name} is not valid JSON: ${(error as Error).message}`, hint);
  }
}

/** Reads a file, or stdin for `-`. */
export async function readTextOf(cli: Cli, path: string): Promise<string> {
  if (path === "-") return cli.readStdin();
  try {
    return readFileSync(resolve(cli.cwd, path), "utf8");
  } catch (error) {
    throw new CommandError("usage", `${path} cannot be read: ${(error as NodeJS.ErrnoException).code}.`);
  }
}

async function readSource(cli: Cli, given: string): Promise<{ name: string; text: string }> {
  if (given === "-") return { name: "Standard input", text: await cli.readStdin() };
  if (given.startsWith("@")) return { name: given.slice(1), text: await readTextOf(cli, given.slice(1)) };
  return { name: "-d", text: given };
}

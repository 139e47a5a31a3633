import type { Cli } from "../cli.ts";
import { CommandError } from "../command-error.ts";
import { readTextOf } from "./read-json.ts";

/** Reads an object from a file of JSON or YAML, or from stdin for `-`. */
export async function readDocument(cli: Cli, path: string): Promise<Record<string, unknown>> {
  const text = await readTextOf(cli, path);
  return parseDocument(text, path === "-" ? "Standard input" : path);
}

/** JSON is YAML too. */
export async function parseDocument(text: string, name: string): Promise<Record<string, unknown>> {
  const { parse } = await import("yaml");
  const value = parseText(parse, text, name);
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new CommandError("usage", `${name} is not an object.`);
}

function parseText(parse: (text: string) => unknown, text: string, name: string): unknown {
  try {
    return parse(text);
  } catch (error) {
    throw new CommandError("usage", `${name} is not valid JSON or YAML: ${(error as Error).message.split("\n")[0]}`);
  }
}

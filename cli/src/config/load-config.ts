import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import type { Cli } from "../cli.ts";
import { CommandError } from "../command-error.ts";
import { type Body, KINDS } from "./kinds.ts";
import { loadModule } from "./load-module.ts";

const FILES = ["ts", "mts", "js", "mjs", "json"].map((ending) => `millrace.config.${ending}`);
const FOLDER = "millrace";
const DATA = /\.(ya?ml|json)$/;
/** Written by `millrace export` for editors. */
export const SCHEMA_FILE = "schema.json";

/** The configuration as written: one file, or a folder whose files are put together. */
export async function loadConfig(cli: Cli, given: string | undefined): Promise<Body> {
  const path = given === undefined ? findConfig(cli) : resolve(cli.cwd, given);
  if (!existsSync(path)) throw new CommandError("usage", `${given} does not exist.`);
  if (!statSync(path).isDirectory()) return loadFile(cli, path);
  const files = readdirSync(path).filter((name) => DATA.test(name) && name !== SCHEMA_FILE);
  if (files.length === 0) throw new CommandError("usage", `${given ?? FOLDER} has no YAML or JSON files.`);
  const parts: [string, Body][] = [];
  for (const name of files.sort()) parts.push([name, await loadFile(cli, join(path, name))]);
  return mergeParts(parts);
}

function findConfig({ cwd }: Cli): string {
  const found = [...FILES, FOLDER].map((name) => join(cwd, name)).filter((path) => existsSync(path));
  if (found.length === 1 && found[0]) return found[0];
  const names = found.map((path) => relative(cwd, path)).join(" and ");
  throw new CommandError(
    "usage",
    found.length === 0 ? "There is no configuration here." : `There are several configurations here: ${names}.`,
    found.length === 0
      ? [`Write ${FILES[0]} or ${FOLDER}/*.yaml, or start with \`millrace export\`.`]
      : ["Choose one with --config."],
  );
}

async function loadFile(cli: Cli, path: string): Promise<Body> {
  const name = relative(cli.cwd, path);
  const value = DATA.test(path) ? await parse(path, name) : await loadModule(path, name);
  if (value === null) return {}; // an empty file
  if (typeof value === "object" && !Array.isArray(value)) return value as Body;
  throw new CommandError("usage", `${name} does not contain an object with sections such as jobs.`);
}

async function parse(path: string, name: string): Promise<unknown> {
  const text = readFileSync(path, "utf8");
  try {
    if (path.endsWith(".json")) return JSON.parse(text);
    const { parse: parseYaml } = await import("yaml");
    // The default limit on aliases keeps a small file from becoming a huge one.
    return parseYaml(text, { uniqueKeys: true });
  } catch (error) {
    throw new CommandError("usage", `${name} cannot be read: ${(error as Error).message}`);
  }
}

/** An object in two files is a mistake: neither wins. */
function mergeParts(parts: readonly [string, Body][]): Body {
  const merged: Body = {};
  const shapes = new Map(KINDS.map(({ section, shape }) => [section, shape]));
  for (const [file, part] of parts) {
    for (const [section, value] of Object.entries(part)) {
      const before = merged[section];
      if (before === undefined) merged[section] = value;
      else if (shapes.get(section) === "list" && Array.isArray(before) && Array.isArray(value))
        merged[section] = [...before, ...value];
      else if (shapes.get(section) === "map") merged[section] = mergeMaps(file, section, before as Body, value as Body);
      else throw new CommandError("usage", `${section} is in several files; the last is ${file}.`);
    }
  }
  return merged;
}

function mergeMaps(file: string, section: string, before: Body, after: Body): Body {
  const twice = Object.keys(after).find((key) => key in before);
  if (twice !== undefined)
    throw new CommandError("usage", `${section}.${twice} is in several files; the last is ${file}.`);
  return { ...before, ...after };
}

import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { parseEnv } from "node:util";
import { CommandError } from "../command-error.ts";

/** Reads a file of `NAME=value` lines as Node does. A missing file is empty. */
export function readEnvFile(path: string): Record<string, string | undefined> {
  return existsSync(path) ? parseEnv(readFileSync(path, "utf8")) : {};
}

/** Reads a file that must consist of variables: one on a line that Node skips would be missing without a word. */
export function readWholeEnvFile(path: string): Record<string, string | undefined> {
  if (!existsSync(path)) throw new CommandError("usage", `${path} does not exist.`);
  const rest = readFileSync(path, "utf8").replaceAll(ASSIGNMENT, (whole) => whole.replaceAll(/[^\n]/g, ""));
  const stray = rest.split("\n").findIndex((line) => !/^\s*(#.*)?$/.test(line));
  if (stray < 0) return readEnvFile(path);
  throw new CommandError("usage", `Line ${stray + 1} of ${path} is not NAME=value.`, [
    "A name has letters A to Z, digits and underscores. A value of several lines needs quotes.",
  ]);
}

/** Sets variables and keeps all other lines. Only the owner can read the file. */
export function writeEnvFile(path: string, values: Record<string, string>): "unchanged" | "written" {
  const before = existsSync(path) ? readFileSync(path, "utf8") : "";
  const left = new Map(Object.entries(values));
  const updated = before.replaceAll(ASSIGNMENT, (whole: string, start: string, name: string) => {
    const value = left.get(name);
    if (value === undefined) return whole;
    left.delete(name);
    return `${start}${quoted(name, value)}`;
  });
  const added = [...left].map(([name, value]) => `${name}=${quoted(name, value)}\n`);
  const after = `${updated === "" || updated.endsWith("\n") ? updated : `${updated}\n`}${added.join("")}`;
  if (after === before) return "unchanged";
  writeFileSync(path, after, { mode: 0o600 });
  chmodSync(path, 0o600); // also for an existing file
  return "written";
}

/** Up to the end of the line on which its value ends; a value in quotes may have several lines. */
const ASSIGNMENT = /^([^\S\n]*(?:export\s+)?([A-Za-z_]\w*)\s*=)[^\S\r\n]*(?:'[^']*'|"[^"]*"|`[^`]*`)?.*$/gm;

const PLAIN = /^[\w.:/?=@%+,~-]*$/;

/** The format has no escapes, so the quotes must be of a kind that the value does not contain. */
function quoted(name: string, value: string): string {
  if (PLAIN.test(value)) return value;
  const texts = ["'", '"', "`"].map((quote) => `${quote}${value}${quote}`);
  const found = texts.find((text) => parseEnv(`${name}=${text}`)[name] === value);
  if (found !== undefined) return found;
  throw new CommandError("failure", `The value of ${name} cannot be written as a line of an env file.`, [
    "It contains carriage returns, or all three kinds of quotes: ' \" `.",
  ]);
}

import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";

/** Reads a file of `NAME=value` lines. A missing file is empty. */
export function readEnvFile(path: string): Record<string, string> {
  if (!existsSync(path)) return {};
  const found: Record<string, string> = {};
  for (const line of readFileSync(path, "utf8").split(/\r?\n/)) {
    const [, name, value] = LINE.exec(line) ?? [];
    if (name !== undefined && value !== undefined) found[name] = unquoted(value.trim());
  }
  return found;
}

/** Sets variables and keeps all other lines. Only the owner can read the file. */
export function writeEnvFile(path: string, values: Record<string, string>): "unchanged" | "written" {
  const before = existsSync(path) ? readFileSync(path, "utf8") : "";
  const left = new Map(Object.entries(values));
  const lines = before.split("\n").map((line) => {
    const name = LINE.exec(line)?.[1];
    const value = name === undefined ? undefined : left.get(name);
    if (name === undefined || value === undefined) return line;
    left.delete(name);
    return `${name}=${value}`;
  });
  if (lines.at(-1) === "") lines.pop();
  const after = `${[...lines, ...[...left].map(([name, value]) => `${name}=${value}`)].join("\n")}\n`;
  if (after === before) return "unchanged";
  writeFileSync(path, after, { mode: 0o600 });
  chmodSync(path, 0o600); // also for an existing file
  return "written";
}

const LINE = /^\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=(.*)$/;

function unquoted(text: string): string {
  const [, , inside] = /^(["'])(.*)\1$/.exec(text) ?? [];
  return inside ?? text;
}

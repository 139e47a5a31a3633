import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import type { Cli } from "../cli.ts";

export type ObjectKind = "runs" | "workflow-runs";

/** Reads `@last`: the object of this kind that the CLI used last with this service and API key. */
export function readLast(cli: Cli, kind: ObjectKind): string | undefined {
  return readAll(fileOf(cli))[placeOf(cli, kind)];
}

/** Best effort: an unwritable folder is not an error. */
export function saveLast(cli: Cli, kind: ObjectKind, id: string): void {
  const file = fileOf(cli);
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(file, JSON.stringify({ ...readAll(file), [placeOf(cli, kind)]: id }), { mode: 0o600 });
  } catch {
    cli.say("@last could not be saved.");
  }
}

const PUBLIC_PART = 12; // of an API key; another key may belong to another project

function placeOf({ settings }: Cli, kind: ObjectKind): string {
  return `${kind} ${settings.baseUrl.value} ${settings.apiKey?.value.slice(0, PUBLIC_PART) ?? ""}`;
}

function fileOf({ env }: Cli): string {
  return join(env.XDG_STATE_HOME || join(env.HOME || homedir(), ".local", "state"), "millrace", "last.json");
}

function readAll(file: string): Record<string, string> {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return {};
  }
}

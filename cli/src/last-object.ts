import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import type { Cli } from "./cli.ts";

export type ObjectKind = "runs" | "workflow-runs";

/** What `@last` stands for: the object of this kind that the command line named last, at this service. */
export function readLast(cli: Cli, kind: ObjectKind): string | undefined {
  return readAll(fileOf(cli))[placeOf(cli, kind)];
}

/** A convenience: a folder that cannot be written is no reason to fail. */
export function keepLast(cli: Cli, kind: ObjectKind, id: string): void {
  const file = fileOf(cli);
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(file, JSON.stringify({ ...readAll(file), [placeOf(cli, kind)]: id }), { mode: 0o600 });
  } catch {
    cli.say("What @last stands for could not be kept.");
  }
}

function placeOf({ settings }: Cli, kind: ObjectKind): string {
  return `${kind} ${settings.baseUrl.value}`;
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

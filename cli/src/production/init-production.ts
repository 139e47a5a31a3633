import { join, resolve } from "node:path";
import type { Cli } from "../cli.ts";
import { CommandError } from "../command-error.ts";
import { writeNew } from "../write-new.ts";
import { COMPOSE_TEXT } from "./compose-text.ts";
import { envText } from "./env-text.ts";
import { systemdSteps } from "./systemd-steps.ts";
import { SYSTEMD_TEXT } from "./systemd-text.ts";

type Target = {
  env: string;
  file: { name: string; text: string } | undefined;
  /** The commands to run next. `at` gives the path of a file. */
  next: (at: (name: string) => string) => readonly string[];
};

const TARGETS: Record<string, Target> = {
  env: { env: ".env", file: undefined, next: (at) => [`millrace serve --settings ${at(".env")}`] },
  compose: {
    env: ".env",
    file: { name: "compose.yaml", text: COMPOSE_TEXT },
    next: (at) => [`docker compose --file ${at("compose.yaml")} up --detach`],
  },
  systemd: {
    env: "millrace.env",
    file: { name: "millrace.service", text: SYSTEMD_TEXT },
    next: systemdSteps,
  },
};

/** Writes secrets, a first API key, and a compose file or a systemd unit. */
export async function initProduction(cli: Cli, name: string, named: string): Promise<void> {
  const target = TARGETS[name];
  if (!target) throw new CommandError("usage", `Unknown target "${name}".`, ["Use env, compose or systemd."]);
  const folder = resolve(cli.cwd, named);
  const { newFirstSecrets } = await cli.server.databaseTool();
  const first = newFirstSecrets();
  const files = [
    [target.env, envText(first)] as const,
    ...(target.file ? [[target.file.name, target.file.text] as const] : []),
  ];
  writeNew(folder, files, 0o600);
  report(cli, { folder, named }, target, first);
}

type Folder = { folder: string; named: string };
type First = { api_key: string; signing_secret: string };

function report(cli: Cli, { folder, named }: Folder, target: Target, first: First): void {
  const written = [target.env, ...(target.file ? [target.file.name] : [])];
  if (cli.format !== "human") {
    const result = { folder, files: written, ...first };
    cli.write(`${JSON.stringify(result, null, cli.format === "json" ? 2 : 0)}\n`);
    return;
  }
  cli.say(`Wrote ${written.join(" and ")} to ${folder}. Keep a copy of ENCRYPTION_KEY in a safe place.`);
  cli.say("");
  for (const line of target.next((name) => quoted(join(named, name)))) cli.say(`  ${line}`);
  cli.say("");
  cli.say("Settings for your programs:");
  cli.write(`MILLRACE_API_KEY=${first.api_key}\nMILLRACE_SIGNING_SECRET=${first.signing_secret}\n`);
}

/** For a POSIX shell. */
function quoted(path: string): string {
  return /^[\w./~-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}

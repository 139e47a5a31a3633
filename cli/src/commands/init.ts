import { existsSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Cli } from "../cli.ts";
import { command, flag, optional, text } from "../command.ts";
import { CommandError } from "../command-error.ts";
import { makeFolder } from "../make-folder.ts";
import { COMPOSE_TEXT } from "../production/compose-text.ts";
import { envText } from "../production/env-text.ts";
import { SYSTEMD_TEXT } from "../production/systemd-text.ts";

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
    next: (at) => [
      `install -D -m 0600 ${at("millrace.env")} /etc/millrace/millrace.env`,
      `install -m 0644 ${at("millrace.service")} /etc/systemd/system/millrace.service`,
      "useradd --system --home-dir /var/lib/millrace --shell /usr/sbin/nologin millrace",
      "systemctl enable --now millrace",
    ],
  },
};

export const init = command({
  name: "init",
  summary: "write the files for a production service",
  about:
    "Write the files for a production service: secrets, a first API key, and a compose file or a systemd unit. The first start of the service creates the project `main` with that key. Never overwrites a file.",
  callsService: false,
  args: [optional("target", "`env` (only the settings, the default), `compose` or `systemd`")],
  options: {
    production: flag("--production", "confirm that the files are for production (`millrace dev` needs none)"),
    folder: text("--folder <path>", "where to write them (default: the current folder)"),
  },
  examples: ["millrace init --production", "millrace init --production compose --folder /srv/millrace"],
  run: async (cli, { args: [name = "env"], options: { folder: named = ".", production } }) => {
    if (!production) {
      throw new CommandError("usage", "`millrace dev` needs no files. For production, use --production.", [
        "For an application of your own: npm create millrace-app",
      ]);
    }
    const target = TARGETS[name];
    if (!target) throw new CommandError("usage", `Unknown target "${name}".`, ["Use env, compose or systemd."]);
    const folder = resolve(cli.cwd, named);
    const { newFirstSecrets } = await cli.server.databaseTool();
    const first = newFirstSecrets();
    writeNew(folder, [
      [target.env, envText(first)],
      ...(target.file ? [[target.file.name, target.file.text] as const] : []),
    ]);
    report(cli, { folder, named }, target, first);
  },
});

/** All or none: a file that exists may hold the only copy of a key. */
function writeNew(folder: string, files: readonly (readonly [string, string])[]): void {
  const taken = files.map(([name]) => join(folder, name)).find((path) => existsSync(path));
  if (taken) {
    throw new CommandError("usage", `${taken} already exists and was not changed.`, [
      "Choose another folder with --folder, or remove the file.",
    ]);
  }
  try {
    makeFolder(folder);
    for (const [name, content] of files) writeFileSync(join(folder, name), content, { mode: 0o600, flag: "wx" });
  } catch (error) {
    throw new CommandError("failure", `The files could not be written to ${folder}: ${(error as Error).message}`, [
      "Choose a writable folder with --folder.",
    ]);
  }
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

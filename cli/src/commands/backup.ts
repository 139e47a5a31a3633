import { spawn } from "node:child_process";
import { closeSync, existsSync, openSync, rmSync } from "node:fs";
import { resolve } from "node:path";
import type { Cli } from "../cli.ts";
import { type Command, command, flag, required, text } from "../command.ts";
import { CommandError } from "../command-error.ts";
import { confirm } from "../output/ask.ts";
import { printJson } from "../output/print-object.ts";

const database = text("--database-url <url>", "database of the service (default: DATABASE_URL)");
const OWNER_ONLY = 0o600;

export const backupCommands: readonly Command[] = [
  command({
    name: "backup create",
    summary: "write a dump of the database, with pg_dump",
    about:
      "Write a consistent dump of the database with the pg_dump of this machine, while the service runs. The file is readable only by you. It contains no secrets of the service's settings: keep ENCRYPTION_KEY and JWT_SIGNING_KEY too, but elsewhere. For the embedded database see `/docs/operate/backup` of the service.",
    callsService: false,
    args: [required("file", "file to write")],
    options: { databaseUrl: database },
    examples: ["millrace backup create millrace.dump"],
    run: async (cli, { args: [file = ""], options }) => {
      const path = resolve(cli.cwd, file);
      const url = urlOf(cli, options.databaseUrl);
      if (existsSync(path)) throw new CommandError("conflict", `${file} exists. Choose another name.`);
      closeSync(openSync(path, "wx", OWNER_ONLY)); // before there is anything to read in it
      try {
        await runTool(cli, "pg_dump", ["--format=custom", "--no-owner", `--file=${path}`], url);
      } catch (error) {
        rmSync(path, { force: true });
        throw error;
      }
      report(cli, { file }, `${file} is written. Test it: restore it into an empty database.`);
    },
  }),
  command({
    name: "backup restore",
    summary: "restore a dump into an empty database, with pg_restore",
    about:
      "Restore a dump of `backup create` into an empty database, all of it or nothing. Then start the service with the same ENCRYPTION_KEY and JWT_SIGNING_KEY. Runs that had ended since the dump are dispatched again.",
    callsService: false,
    args: [required("file", "file of `backup create`")],
    options: { databaseUrl: database, yes: flag("-y, --yes", "do not ask for confirmation") },
    examples: ["millrace backup restore millrace.dump --database-url postgres://localhost/millrace_restored"],
    run: async (cli, { args: [file = ""], options }) => {
      const path = resolve(cli.cwd, file);
      const url = urlOf(cli, options.databaseUrl);
      if (!existsSync(path)) throw new CommandError("not_found", `${file} does not exist.`);
      await confirm(cli, `Restore ${file} into ${hostOf(url)}?`, options.yes);
      const args = ["--no-owner", "--exit-on-error", "--single-transaction", `--dbname=${databaseOf(url)}`, path];
      await runTool(cli, "pg_restore", args, url);
      report(cli, { file, restored: true }, `${file} is restored into ${hostOf(url)}.`);
    },
  }),
];

function report(cli: Cli, answer: object, message: string): void {
  if (cli.format !== "human") printJson(cli, answer);
  cli.say(message);
}

function urlOf({ env }: Cli, given: string | undefined): URL {
  const text = given ?? env.DATABASE_URL;
  if (text === undefined || text === "") {
    throw new CommandError("usage", "Name the database with DATABASE_URL or --database-url.", [
      "The embedded database is backed up with its folder: see /docs/operate/backup of the service.",
    ]);
  }
  if (/^postgres(ql)?:/.test(text) && URL.canParse(text)) return new URL(text);
  throw new CommandError("usage", "The database URL must start with postgresql://.");
}

/** For messages: without the password. */
function hostOf(url: URL): string {
  return `${url.host}${url.pathname}`;
}

function databaseOf({ pathname }: URL): string {
  return decodeURIComponent(pathname.slice(1));
}

/** The URL is passed in the environment: arguments are visible to other users of the machine. */
async function runTool(cli: Cli, tool: string, args: string[], url: URL): Promise<void> {
  const environment = {
    ...{ PATH: cli.env.PATH ?? "", HOME: cli.env.HOME ?? "", PGHOST: url.hostname, PGPORT: url.port || "5432" },
    ...{ PGUSER: decodeURIComponent(url.username), PGPASSWORD: decodeURIComponent(url.password) },
    ...{ PGDATABASE: databaseOf(url), PGSSLMODE: url.searchParams.get("sslmode") ?? "prefer" },
  };
  const child = spawn(tool, args, { env: environment, stdio: ["ignore", "ignore", "pipe"], signal: cli.signal });
  let errors = "";
  child.stderr.setEncoding("utf8").on("data", (part: string) => {
    errors += part;
  });
  const code = await new Promise<number | null>((ended, failed) => {
    child.once("error", failed).once("close", ended);
  }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
    throw new CommandError("failure", `${tool} is not installed.`, ["Install the client tools of PostgreSQL."]);
  });
  if (code !== 0) throw new CommandError("failure", `${tool} failed.`, errors.trim().split("\n").slice(0, 10));
}

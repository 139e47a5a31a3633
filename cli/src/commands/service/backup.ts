import { resolve } from "node:path";
import type { Cli } from "../../cli.ts";
import { type Command, command, required } from "../../command.ts";
import { CommandError } from "../../command-error.ts";
import { printJson } from "../../output/print-object.ts";
import { progressBar } from "../../output/progress-bar.ts";
import { MODE_OPTION, requireDatabase, settingsOf } from "../../service/database-settings.ts";

const file = required("file", "path of the backup, such as millrace.backup");

export const backupCommands: readonly Command[] = [
  command({
    name: "backup create",
    summary: "write all data of the service into a file",
    about:
      "Write all data of the service into a compressed file, as of one moment, while the service runs. The secrets ENCRYPTION_KEY and JWT_SIGNING_KEY are not in it: keep them elsewhere.",
    callsService: false,
    args: [file],
    options: MODE_OPTION,
    examples: ["millrace backup create /backup/millrace.backup"],
    run: async (cli, { args: [given = ""], options }) => {
      const tool = await cli.server.databaseTool();
      const { rows, ...result } = await withBar(cli, "writing tables", (onTable) =>
        tool.backUp(settingsOf(cli, options.dev), resolve(cli.cwd, given), onTable),
      );
      const { name } = requireDatabase(result);
      report(cli, { file: given, rows }, `${sumOf(rows)} rows of the ${name} are in ${given}.`);
      return "ok";
    },
  }),
  command({
    name: "backup restore",
    summary: "restore a backup into an empty database",
    about:
      "Restore a backup into a database without projects, in one transaction, and apply the migrations that are newer than the backup. Start the service afterwards, with the secrets of the old one.",
    callsService: false,
    args: [file],
    options: MODE_OPTION,
    examples: ["DATABASE_URL=postgres://localhost/restored millrace backup restore millrace.backup"],
    run: async (cli, { args: [given = ""], options }) => {
      const tool = await cli.server.databaseTool();
      const { rows, ...result } = await withBar(cli, "restoring tables", (onTable) =>
        tool.restore(settingsOf(cli, options.dev), resolve(cli.cwd, given), onTable),
      );
      const { name } = requireDatabase(result);
      report(cli, { file: given, rows }, `${sumOf(rows)} rows are restored into the ${name}.`);
      return "ok";
    },
  }),
  command({
    name: "backup verify",
    summary: "check that a backup is complete and undamaged",
    about: "Read a backup to its end, without a database, and check its checksum and its numbers of rows.",
    examples: ["millrace backup verify /backup/millrace.backup"],
    callsService: false,
    args: [file],
    run: async (cli, { args: [given = ""] }) => {
      const tool = await cli.server.databaseTool();
      const { header, rows } = await withBar(cli, "reading tables", (onTable) =>
        tool.verifyBackup(resolve(cli.cwd, given), onTable).catch((error: Error) => {
          throw new CommandError("failure", `${error.message}.`);
        }),
      );
      const { created_at, schema } = header;
      const text = `${given} is complete: ${sumOf(rows)} rows of ${created_at}, schema ${schema.at(-1)}.`;
      report(cli, { file: given, created_at, schema: schema.at(-1), rows }, text);
      return "ok";
    },
  }),
];

async function withBar<T>(
  cli: Cli,
  what: string,
  work: (onTable: (done: number, total: number) => void) => Promise<T>,
): Promise<T> {
  const bar = progressBar(cli, what);
  try {
    return await work(bar.at);
  } finally {
    bar.end();
  }
}

function report(cli: Cli, result: object, text: string): void {
  if (cli.format === "human") cli.say(text);
  else printJson(cli, result);
}

function sumOf(rows: Record<string, number>): string {
  return Object.values(rows)
    .reduce((sum, count) => sum + count, 0)
    .toLocaleString("en");
}

import { INSTALL_SQL } from "@millrace/sdk/outbox";
import { command, flag } from "../../../command.ts";
import { CommandError } from "../../../command-error.ts";
import { DATABASE_URL_OPTION, databaseUrlOf } from "./database-url.ts";

export const outboxInstall = command({
  name: "outbox install",
  summary: "prepare your application's database for `millrace.enqueue`",
  about:
    "Prepare your application's database: creates the schema `millrace` with one table and the function `millrace.enqueue(job, payload, options)`. Can be repeated; rows stay.",
  callsService: false,
  options: {
    ...DATABASE_URL_OPTION,
    print: flag("--print", "print the SQL instead of running it"),
  },
  examples: [
    "millrace outbox install --database-url postgresql://app:secret@localhost/shop",
    "millrace outbox install --print > migrations/millrace.sql",
  ],
  run: async (cli, { options }) => {
    if (options.print) {
      cli.write(INSTALL_SQL);
      return;
    }
    const url = databaseUrlOf(cli, options.databaseUrl);
    const { runSql } = await cli.server.databaseTool();
    const result = await runSql(url, INSTALL_SQL);
    if (!result.ok) throw new CommandError("failure", `The database was not changed: ${result.reason}`);
    cli.say("Installed: select millrace.enqueue('job-slug', '{}') in any transaction.");
  },
});

import { FORCED_UNINSTALL_SQL, UNINSTALL_SQL } from "@millrace/sdk/outbox";
import { command, flag } from "../../../command.ts";
import { CommandError } from "../../../command-error.ts";
import { DATABASE_URL_OPTION, databaseUrlOf } from "./database-url.ts";

const IN_USE = "55006"; // object_in_use

export const outboxUninstall = command({
  name: "outbox uninstall",
  summary: "remove the schema `millrace` from your application's database",
  about: "Remove the schema `millrace` from your application's database. Refused while rows are left in it.",
  callsService: false,
  options: {
    ...DATABASE_URL_OPTION,
    print: flag("--print", "print the SQL instead of running it"),
    force: flag("--force", "uninstall even if rows are left, which are then lost"),
  },
  examples: ["millrace outbox uninstall --database-url postgresql://app:secret@localhost/shop"],
  run: async (cli, { options }) => {
    const statements = options.force ? FORCED_UNINSTALL_SQL : UNINSTALL_SQL;
    if (options.print) {
      cli.write(statements);
      return;
    }
    const url = databaseUrlOf(cli, options.databaseUrl);
    const { runSql } = await cli.server.databaseTool();
    const result = await runSql(url, statements);
    if (!result.ok && result.code === IN_USE) {
      throw new CommandError("conflict", "The database was not changed: rows are left in millrace.enqueued.", [
        "Wait until they are drained, or use --force to lose them.",
      ]);
    }
    if (!result.ok) throw new CommandError("failure", `The database was not changed: ${result.reason}`);
    cli.say("Uninstalled.");
  },
});

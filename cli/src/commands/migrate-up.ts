import { command, flag } from "../command.ts";
import { printJson } from "../output/print-object.ts";
import { MODE_OPTION, refuseTrouble, settingsOf } from "../service/database-settings.ts";

export const migrateUp = command({
  name: "migrate up",
  summary: "migrate the database schema to the current version",
  about:
    "Migrate the database schema to the current version. `millrace dev` and `serve` do this when they start; use this command to do it before. It is safe while instances or other migrations are running.",
  asksService: false,
  options: {
    ...MODE_OPTION,
    dryRun: flag("--dry-run", "only list what would be done, and exit with 2 if there is something"),
  },
  run: async (cli, { options }) => {
    const tool = await cli.server.databaseTool();
    const settings = settingsOf(cli, options.dev);
    if (options.dryRun) {
      const { name, missing } = refuseTrouble(await tool.lookAtDatabase(settings));
      if (cli.format !== "human") printJson(cli, { dry_run: true, database: name, missing });
      for (const each of cli.format === "human" ? missing : []) cli.write(`${each}\n`);
      cli.say(missing.length === 0 ? `${name}: nothing to do.` : `${name}: ${missing.length} to do.`);
      return missing.length === 0 ? "ok" : "changes";
    }
    const { ran, ...answer } = await tool.migrateDatabase(settings);
    const { name } = refuseTrouble(answer);
    if (cli.format !== "human") printJson(cli, { dry_run: false, database: name, ran });
    for (const each of cli.format === "human" ? ran : []) cli.write(`${each}\n`);
    cli.say(ran.length === 0 ? `${name}: nothing to do.` : `${name}: ${ran.length} done.`);
    return "ok";
  },
});

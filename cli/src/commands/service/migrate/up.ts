import { command, flag } from "../../../command.ts";
import { printJson } from "../../../output/print-object.ts";
import { MODE_OPTION, requireDatabase, settingsOf } from "../../../service/database-settings.ts";

export const migrateUp = command({
  name: "migrate up",
  summary: "apply pending database migrations",
  about:
    "Apply pending database migrations. `millrace dev` and `serve` do this on startup; use this command to do it beforehand. Safe to run while instances are running, and to run concurrently.",
  examples: ["millrace migrate up --dry-run"],
  callsService: false,
  options: {
    ...MODE_OPTION,
    dryRun: flag("--dry-run", "list the pending migrations without applying them; exits with 2 if there are any"),
  },
  run: async (cli, { options }) => {
    const tool = await cli.server.databaseTool();
    const settings = settingsOf(cli, options.dev);
    if (options.dryRun) {
      const { name, pending } = requireDatabase(await tool.inspectDatabase(settings));
      if (cli.format !== "human") printJson(cli, { dry_run: true, database: name, pending });
      for (const each of cli.format === "human" ? pending : []) cli.write(`${each}\n`);
      cli.say(pending.length === 0 ? `${name}: nothing to do.` : `${name}: ${pending.length} pending.`);
      return pending.length === 0 ? "ok" : "changes";
    }
    const { ran, ...result } = await tool.migrateDatabase(settings);
    const { name } = requireDatabase(result);
    if (cli.format !== "human") printJson(cli, { dry_run: false, database: name, ran });
    for (const each of cli.format === "human" ? ran : []) cli.write(`${each}\n`);
    cli.say(ran.length === 0 ? `${name}: nothing to do.` : `${name}: ${ran.length} applied.`);
    return "ok";
  },
});

import { command } from "../command.ts";
import { printRows } from "../output/print-rows.ts";
import { MODE_OPTION, requireDatabase, settingsOf } from "../service/database-settings.ts";

export const migrateStatus = command({
  name: "migrate status",
  summary: "list applied and missing migrations; exits with 2 if some are missing",
  callsService: false,
  options: MODE_OPTION,
  run: async (cli, { options }) => {
    const tool = await cli.server.databaseTool();
    const { name, applied, missing } = requireDatabase(await tool.inspectDatabase(settingsOf(cli, options.dev)));
    const row = (status: string) => (migration: string) => ({ migration, status });
    await printRows(cli, {
      rows: [...applied.map(row("done")), ...missing.map(row("missing"))],
      nothing: "No migrations.",
      columns: [
        { title: "migration", value: ({ migration }) => migration },
        { title: "status", value: ({ status }) => status },
      ],
    });
    cli.say(
      missing.length === 0
        ? `${name} is up to date.`
        : `${name}: ${missing.length} missing; apply them with millrace migrate up`,
    );
    return missing.length === 0 ? "ok" : "changes";
  },
});

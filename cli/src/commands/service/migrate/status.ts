import { command } from "../../../command.ts";
import { printRows } from "../../../output/print-rows.ts";
import { MODE_OPTION, requireDatabase, settingsOf } from "../../../service/database-settings.ts";

export const migrateStatus = command({
  name: "migrate status",
  summary: "list applied and pending migrations; exits with 2 if some are pending",
  examples: ["millrace migrate status"],
  callsService: false,
  options: MODE_OPTION,
  run: async (cli, { options }) => {
    const tool = await cli.server.databaseTool();
    const { name, applied, pending } = requireDatabase(await tool.inspectDatabase(settingsOf(cli, options.dev)));
    const row = (status: string) => (migration: string) => ({ migration, status });
    await printRows(cli, {
      rows: [...applied.map(row("applied")), ...pending.map(row("pending"))],
      nothing: "No migrations.",
      columns: [
        { title: "migration", value: ({ migration }) => migration },
        { title: "status", value: ({ status }) => status },
      ],
    });
    cli.say(
      pending.length === 0
        ? `${name} is up to date.`
        : `${name}: ${pending.length} pending; apply them with millrace migrate up`,
    );
    return pending.length === 0 ? "ok" : "changes";
  },
});

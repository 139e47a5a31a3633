import { followRun, type LogLine } from "../../../api/follow-run.ts";
import { resolveId } from "../../../api/resolve-id.ts";
import { command, flag, required } from "../../../command.ts";
import { exitOfStatus } from "../../../exit-codes.ts";
import { printLogLine } from "../../../output/print-log-line.ts";
import { printRows } from "../../../output/print-rows.ts";

export const runsLogs = command({
  name: "runs logs",
  summary: "print the log of a run",
  args: [required("run", "run id, prefix of an id, or @last")],
  options: { follow: flag("-f, --follow", "keep printing until the run ends; the exit code reflects its status") },
  examples: ["millrace runs logs -f @last"],
  run: async (cli, { args: [given = ""], options }) => {
    const id = await resolveId(cli, "runs", given);
    if (options.follow) {
      const { status } = await followRun(cli, id, { onLine: (line) => printLogLine(cli, line) });
      return exitOfStatus(status);
    }
    const rows: LogLine[] = [];
    for await (const line of cli.client().paginate<LogLine>(`/v1/runs/${id}/logs`, { limit: 100 })) {
      if (cli.format === "json") rows.push(line);
      else printLogLine(cli, line);
    }
    if (cli.format === "json") await printRows(cli, { rows, columns: [], nothing: "" });
    return "ok";
  },
});

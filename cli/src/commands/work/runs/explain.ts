import type { RunBlocker, RunExplanation } from "@millrace/contract/runs/run-explanation";
import { printableText } from "@millrace/contract/schema/printable-text";
import { resolveId } from "../../../api/resolve-id.ts";
import type { Cli } from "../../../cli.ts";
import { command, required } from "../../../command.ts";
import { printJson } from "../../../output/print-object.ts";
import { startsOf } from "../../../output/times.ts";

export const runsExplain = command({
  name: "runs explain",
  summary: "explain why a run is not running and what would unblock it",
  args: [required("run", "run id, prefix of an id, or @last")],
  examples: ["millrace runs explain @last"],
  run: async (cli, { args: [given = ""] }) => {
    const id = await resolveId(cli, "runs", given);
    const explanation = await cli.client().request<RunExplanation>("GET", `/v1/runs/${id}/explain`);
    if (cli.format !== "human") return printJson(cli, explanation);
    cli.write(`${printableText(explanation.summary)}\n`);
    for (const blocker of explanation.blockers) cli.write(formatBlocker(cli, blocker));
    if (explanation.would_start_at) cli.write(`\nIt would start ${startsOf(explanation.would_start_at)}.\n`);
  },
});

function formatBlocker({ colors }: Cli, { code, message, until, remedy }: RunBlocker): string {
  const { request } = remedy;
  const body = request?.body === undefined ? "" : ` -d '${JSON.stringify(request.body)}'`;
  return [
    `\n${colors.yellow(code)}  ${printableText(message)}${until === null ? "" : colors.dim(` (until ${until})`)}`,
    `  ${printableText(remedy.message)}`,
    ...(request ? [`  ${colors.cyan(`millrace api ${request.method} '${request.path}'${body}`)}`] : []),
    "",
  ].join("\n");
}

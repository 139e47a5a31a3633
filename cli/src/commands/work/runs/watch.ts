import type { RunState } from "@millrace/contract/deliveries/streams";
import { triesOf } from "@millrace/contract/jobs/tries";
import { printableText } from "@millrace/contract/schema/printable-text";
import { followRun } from "../../../api/follow-run.ts";
import { resolveId } from "../../../api/resolve-id.ts";
import type { Cli } from "../../../cli.ts";
import { command, required } from "../../../command.ts";
import { exitOfStatus } from "../../../exit-codes.ts";
import { drawLive } from "../../../output/draw-live.ts";
import { printJson } from "../../../output/print-object.ts";
import { paintStatus } from "../../../output/status.ts";
import { tookOf } from "../../../output/times.ts";

export const runsWatch = command({
  name: "runs watch",
  summary: "follow a run until it ends: status, attempts and progress",
  about:
    "Follow a run until it ends: on a terminal as a line that is redrawn, in a pipe as one line per change. The exit code reflects its status. `runs logs -f` prints its log.",
  args: [required("run", "run id, prefix of an id, or @last")],
  examples: ["millrace runs watch @last"],
  run: async (cli, { args: [given = ""] }) => {
    const id = await resolveId(cli, "runs", given);
    const view = viewOf(cli);
    try {
      const last = await followRun(cli, id, { onStatus: view.show });
      if (cli.format === "json") printJson(cli, last);
      return exitOfStatus(last.status);
    } finally {
      view.end();
    }
  },
});

type View = { show: (run: RunState) => void; end: () => void };

function viewOf(cli: Cli): View {
  if (cli.format === "json") return { show: () => {}, end: () => {} };
  if (cli.format === "ndjson") return { show: (run) => printJson(cli, run), end: () => {} };
  if (!cli.terminal.out) return { show: (run) => cli.write(lineOf(run)), end: () => {} };
  const live = drawLive(cli);
  return { show: (run) => live.show(() => linesOf(cli, run)), end: live.end };
}

function lineOf(run: RunState): string {
  const { percent, message } = run.progress ?? { percent: null, message: null };
  const cells = [run.updated_at, run.status, `${triesOf(run)}/${run.max_attempts}`, percent ?? "", message ?? ""];
  return `${cells.map((cell) => String(cell).replaceAll(/[\t\r\n]+/g, " ")).join("\t")}\n`;
}

function linesOf({ colors }: Cli, run: RunState): string[] {
  const { percent, message } = run.progress ?? { percent: null, message: null };
  const attempts = triesOf(run) > 1 ? `  attempt ${triesOf(run)} of ${run.max_attempts}` : "";
  const took = colors.dim(tookOf(run.started_at, run.finished_at));
  const head = `${run.id}  ${paintStatus(colors, run.status)}${attempts}  ${took}`;
  const progress = [percent === null ? "" : `${percent} %`, message ?? ""].filter((part) => part !== "").join("  ");
  return [
    head,
    ...(progress === "" ? [] : [`  ${printableText(progress)}`]),
    ...(run.error ? [`  ${colors.red(printableText(run.error.message.replaceAll(/\s+/g, " ")))}`] : []),
  ];
}

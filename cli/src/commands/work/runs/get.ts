import { triesOf } from "@millrace/contract/jobs/tries";
import type { Run } from "@millrace/contract/runs/runs";
import { slugsOf } from "../../../api/names.ts";
import { resolveId } from "../../../api/resolve-id.ts";
import { command, required } from "../../../command.ts";
import { printObject } from "../../../output/print-object.ts";
import { paintStatus } from "../../../output/status.ts";
import { agoOf, tookOf } from "../../../output/times.ts";

export const runsGet = command({
  name: "runs get",
  summary: "show a run",
  args: [required("run", "run id, prefix of an id, or @last")],
  examples: ["millrace runs get @last", "millrace runs get 0198a7c4 --json"],
  run: async (cli, { args: [given = ""] }) => {
    const run = await cli.client().request<Run>("GET", `/v1/runs/${await resolveId(cli, "runs", given)}`);
    const job = cli.format === "human" ? await slugsOf(cli, "jobs")(run.job_id) : "";
    printObject(cli, run, () => [
      ["id", run.id],
      ["job", job],
      ["status", paintStatus(cli.colors, run.status)],
      ["attempts used", `${triesOf(run)} of ${run.max_attempts}`],
      ["current attempt", String(run.attempt)],
      ["created", `${run.created_at} (${agoOf(run.created_at)})`],
      ["created by", run.created_by_id === null ? run.created_by : `${run.created_by} (${run.created_by_id})`],
      ["duration", tookOf(run.started_at, run.finished_at)],
      [
        "tags",
        Object.entries(run.tags)
          .map(([key, value]) => `${key}=${value}`)
          .join(" "),
      ],
      ["concurrency key", run.concurrency_key],
      ["workflow run", run.workflow_run_id === null ? null : `${run.workflow_run_id}, step ${run.step_ref}`],
      ["replay of", run.replay_of],
      ["replayed by", run.replayed_by],
      ["progress", run.progress ? `${run.progress.percent ?? "?"} % ${run.progress.message ?? ""}` : null],
      ["payload", JSON.stringify(run.payload, null, 2)],
      ["result", run.result == null ? null : JSON.stringify(run.result, null, 2)],
      ["error", run.error ? `${run.error.message} (${run.error.code})` : null],
      ["ended by", run.error?.by_id],
    ]);
  },
});

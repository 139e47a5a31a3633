import { triesOf } from "@millrace/contract/jobs/tries";
import type { Run } from "@millrace/contract/runs/runs";
import { slugsOf } from "../../../api/names.ts";
import { resolveId } from "../../../api/resolve-id.ts";
import { command, required } from "../../../command.ts";
import { differencesOf, printDifferences } from "../../../output/print-differences.ts";
import { tookOf } from "../../../output/times.ts";

export const runsDiff = command({
  name: "runs diff",
  summary: "compare two runs",
  about:
    "Compare two runs: job, status, payload, tags, attempts, duration, result and error. Useful for a failed run and its replay. Exits with 2 if they differ.",
  args: [required("from", "run id, prefix of an id, or @last"), required("to", "run id, prefix of an id, or @last")],
  examples: ["millrace runs diff 0198a7c4 @last"],
  run: async (cli, { args: [from = "", to = ""] }) => {
    // Resolving an id makes it the last one, so @last comes first.
    const last = [from, to].includes("@last") ? await resolveId(cli, "runs", "@last") : "";
    const ids: string[] = [];
    for (const given of [from, to]) ids.push(given === "@last" ? last : await resolveId(cli, "runs", given));
    const [before, after] = await Promise.all(ids.map((id) => cli.client().request<Run>("GET", `/v1/runs/${id}`)));
    const jobs = slugsOf(cli, "jobs");
    const environments = slugsOf(cli, "environments");
    const compared = async (run: Run | undefined) =>
      run && { job: await jobs(run.job_id), environment: await environments(run.environment_id), ...factsOf(run) };
    return printDifferences(cli, differencesOf(await compared(before), await compared(after)), {
      ...{ old: "from", now: "to", nothing: "The runs do not differ." },
    });
  },
});

/** The fields that are compared: neither ids nor times of creation. */
function factsOf(run: Run): Record<string, unknown> {
  return {
    ...{ status: run.status, trigger_type: run.trigger_type, created_by: run.created_by },
    ...{ payload: run.payload, metadata: run.metadata, tags: run.tags },
    ...{ priority: run.priority, concurrency_key: run.concurrency_key, step_ref: run.step_ref },
    ...{ attempts: triesOf(run), max_attempts: run.max_attempts, timeout_secs: run.timeout_secs },
    ...{ duration: tookOf(run.started_at, run.finished_at), cost_microusd: run.cost_microusd },
    ...{ result: run.result, error: run.error },
  };
}

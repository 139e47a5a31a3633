import type { Job } from "@millrace/contract/jobs";
import { command, count, text } from "../../command.ts";
import { stateOf } from "../../output/job-state.ts";
import { printRows } from "../../output/print-rows.ts";
import { takeRows } from "../../take-rows.ts";

export const jobsList = command({
  name: "jobs list",
  summary: "list jobs",
  options: {
    tag: text("--tag <key:value>", "only jobs with this tag"),
    limit: count("-n, --limit <n>", "maximum number of results (default: 50)"),
  },
  run: async (cli, { options }) => {
    const taken = await takeRows<Job>(cli, "/v1/jobs", { tag: options.tag }, options.limit ?? 50);
    await printRows(cli, {
      ...taken,
      nothing: "No jobs.",
      columns: [
        { title: "slug", value: ({ slug }) => slug },
        { title: "state", value: stateOf },
        { title: "version", value: ({ version }) => String(version) },
        { title: "cron", value: ({ cron }) => cron ?? "" },
        { title: "endpoint", value: ({ endpoint_url }) => endpoint_url },
      ],
    });
  },
});

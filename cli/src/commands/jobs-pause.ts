import type { Job } from "@millrace/contract/jobs";
import { command, required } from "../command.ts";
import { withJob } from "../job-slugs.ts";
import { printJson } from "../output/print-object.ts";

export const jobsPause = command({
  name: "jobs pause",
  summary: "pause a job: triggers are accepted and stay queued",
  args: [required("job", "slug or id of the job")],
  run: async (cli, { args: [given = ""] }) => {
    const job = await withJob(cli, given, (path) => cli.client().request<Job>("POST", `${path}/pause`));
    if (cli.format !== "human") return printJson(cli, job);
    cli.say(`${job.slug} is paused`);
  },
});

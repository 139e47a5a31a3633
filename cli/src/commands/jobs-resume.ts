import type { Job } from "@millrace/contract/jobs";
import { command, required } from "../command.ts";
import { withJob } from "../job-slugs.ts";
import { printJson } from "../output/print-object.ts";

export const jobsResume = command({
  name: "jobs resume",
  summary: "resume a paused job",
  args: [required("job", "slug or id of the job")],
  run: async (cli, { args: [given = ""] }) => {
    const job = await withJob(cli, given, (path) => cli.client().request<Job>("POST", `${path}/resume`));
    if (cli.format !== "human") return printJson(cli, job);
    cli.say(`${job.slug} was resumed`);
  },
});

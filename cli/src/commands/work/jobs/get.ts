import type { Job } from "@millrace/contract/jobs/jobs";
import { withSlug } from "../../../api/names.ts";
import { command, required } from "../../../command.ts";
import { stateOf } from "../../../output/job-state.ts";
import { printObject } from "../../../output/print-object.ts";

export const jobsGet = command({
  name: "jobs get",
  summary: "show a job",
  args: [required("job", "slug or id of the job")],
  examples: ["millrace jobs get send-mail"],
  run: async (cli, { args: [given = ""] }) => {
    const job = await withSlug(cli, "jobs", given, (path) => cli.client().request<Job>("GET", path));
    printObject(cli, job, () => [
      ["slug", job.slug],
      ["name", job.name],
      ["id", job.id],
      ["state", stateOf(job)],
      ["queue", job.queue],
      ["endpoint", job.endpoint_url ?? "none: workers pull"],
      ["version", String(job.version)],
      ["max attempts", `${job.max_attempts}, ${job.retry_strategy}`],
      ["timeout", `${job.timeout_secs} s`],
      ["concurrency", limitsOf(job)],
      ["cron", job.cron === null ? null : `${job.cron} (${job.timezone})`],
      [
        "tags",
        Object.entries(job.tags)
          .map(([key, value]) => `${key}=${value}`)
          .join(" "),
      ],
      ["description", job.description],
    ]);
  },
});

function limitsOf({ max_concurrency, max_concurrency_per_key }: Job): string | null {
  const all = max_concurrency === null ? [] : [`${max_concurrency} in total`];
  const perKey = max_concurrency_per_key === null ? [] : [`${max_concurrency_per_key} per key`];
  return [...all, ...perKey].join(", ") || null;
}

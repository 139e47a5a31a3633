import type { Job } from "@millrace/contract/jobs/jobs";
import { listing } from "../../../api/requests.ts";
import { text } from "../../../command.ts";
import { stateOf } from "../../../output/job-state.ts";

export const jobsList = listing({
  name: "jobs list",
  summary: "list jobs",
  options: { tag: text("--tag <key:value>", "only jobs with this tag") },
  examples: ["millrace jobs list"],
  path: "/v1/jobs",
  filters: ({ tag }) => ({ tag }),
  nothing: "No jobs.",
  columns: [
    { title: "slug", value: ({ slug }: Job) => slug },
    { title: "state", value: stateOf },
    { title: "version", value: ({ version }) => String(version) },
    { title: "cron", value: ({ cron }) => cron ?? "" },
    { title: "endpoint", value: ({ endpoint_url }) => endpoint_url ?? "pull" },
  ],
});

import type { JobVersion } from "@millrace/contract/jobs/jobs";
import { listing } from "../../../api/requests.ts";
import { required } from "../../../command.ts";
import { agoOf } from "../../../output/times.ts";

export const jobsVersions = listing({
  name: "jobs versions",
  summary: "list the versions of a job, newest first",
  args: [required("job", "slug or id of the job")],
  examples: ["millrace jobs versions send-mail"],
  path: ([given = ""]) => `/v1/jobs/${encodeURIComponent(given)}/versions`,
  nothing: "No versions.",
  columns: [
    { title: "version", value: ({ version }: JobVersion) => String(version) },
    { title: "endpoint", value: ({ endpoint_url }) => endpoint_url ?? "pull" },
    { title: "max attempts", value: ({ max_attempts }) => String(max_attempts) },
    { title: "timeout", value: ({ timeout_secs }) => `${timeout_secs} s` },
    { title: "by", value: ({ created_by }) => created_by },
    { title: "created", value: ({ created_at }) => created_at, show: ({ created_at }) => agoOf(created_at) },
  ],
});

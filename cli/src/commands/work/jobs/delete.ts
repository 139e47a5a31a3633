import type { Job } from "@millrace/contract/jobs/jobs";
import { withSlug } from "../../../api/names.ts";
import { send } from "../../../api/requests.ts";
import { command, flag, required } from "../../../command.ts";
import { confirm } from "../../../output/ask.ts";

export const jobsDelete = command({
  name: "jobs delete",
  summary: "delete a job; its runs are kept",
  args: [required("job", "slug or id of the job")],
  options: { yes: flag("-y, --yes", "do not ask for confirmation") },
  examples: ["millrace jobs delete send-mail"],
  run: async (cli, { args: [given = ""], options }) => {
    const { id, slug } = await withSlug(cli, "jobs", given, (path) => cli.client().request<Job>("GET", path));
    await confirm(cli, `Delete the job ${slug}?`, options.yes);
    await send(cli, { method: "DELETE", path: `/v1/jobs/${id}`, said: () => `${slug} was deleted` });
  },
});

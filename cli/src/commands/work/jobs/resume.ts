import type { Job } from "@millrace/contract/jobs/jobs";
import { withSlug } from "../../../api/names.ts";
import { send } from "../../../api/requests.ts";
import { command, required } from "../../../command.ts";

export const jobsResume = command({
  name: "jobs resume",
  summary: "resume a paused job",
  args: [required("job", "slug or id of the job")],
  examples: ["millrace jobs resume send-mail"],
  run: async (cli, { args: [given = ""] }) => {
    const said = ({ slug }: Job) => `${slug} was resumed`;
    await withSlug(cli, "jobs", given, (path) => send(cli, { path: `${path}/resume`, said }));
  },
});

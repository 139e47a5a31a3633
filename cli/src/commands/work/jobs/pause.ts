import type { Job } from "@millrace/contract/jobs/jobs";
import { withSlug } from "../../../api/names.ts";
import { send } from "../../../api/requests.ts";
import { command, required } from "../../../command.ts";

export const jobsPause = command({
  name: "jobs pause",
  summary: "pause a job: triggers are accepted, and their runs stay queued",
  args: [required("job", "slug or id of the job")],
  examples: ["millrace jobs pause send-mail"],
  run: async (cli, { args: [given = ""] }) => {
    const said = ({ slug }: Job) => `${slug} is paused`;
    await withSlug(cli, "jobs", given, (path) => send(cli, { path: `${path}/pause`, said }));
  },
});

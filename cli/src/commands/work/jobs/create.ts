import type { Job } from "@millrace/contract/jobs/jobs";
import { send } from "../../../api/requests.ts";
import { command, flag, required, text } from "../../../command.ts";
import { CommandError } from "../../../command-error.ts";
import { readDocument } from "../../../input/read-document.ts";

export const jobsCreate = command({
  name: "jobs create",
  summary: "create a job",
  about:
    "Create a job with an endpoint, or with --pull for workers that claim its runs. A file has any other settings, with the fields of `POST /v1/jobs`; options take precedence over it.",
  args: [required("job", "slug of the job")],
  options: {
    name: text("--name <name>", "name to show (default: the slug)"),
    endpoint: text("--endpoint <url>", "URL that runs are dispatched to"),
    pull: flag("--pull", "workers claim the runs; there is no endpoint"),
    queue: text("--queue <queue>", "queue whose limits the job shares"),
    file: text("-f, --file <file>", "settings as JSON or YAML: a file, or - for stdin"),
  },
  examples: [
    "millrace jobs create send-mail --endpoint https://app.example.com/millrace",
    "millrace jobs create send-mail --pull --queue mail",
  ],
  run: async (cli, { args: [slug = ""], options: { name, endpoint, pull, queue, file } }) => {
    if (endpoint !== undefined && pull) throw new CommandError("usage", "Use --endpoint or --pull, not both.");
    const body = {
      name: slug,
      ...(file !== undefined && (await readDocument(cli, file))),
      slug,
      ...(name !== undefined && { name }),
      ...(endpoint !== undefined && { endpoint_url: endpoint }),
      ...(pull && { delivery: "pull" }),
      ...(queue !== undefined && { queue }),
    };
    await send(cli, { path: "/v1/jobs", body, said: (job: Job) => `${job.slug} was created` });
  },
});

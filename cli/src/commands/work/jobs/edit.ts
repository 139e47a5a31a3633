import type { Job } from "@millrace/contract/jobs/jobs";
import { withSlug } from "../../../api/names.ts";
import { send } from "../../../api/requests.ts";
import type { Cli } from "../../../cli.ts";
import { command, required, text } from "../../../command.ts";
import { CommandError } from "../../../command-error.ts";
import { editText } from "../../../input/edit-text.ts";
import { parseDocument } from "../../../input/read-document.ts";
import { readJson } from "../../../input/read-json.ts";

type Fields = Record<string, unknown>;

export const jobsEdit = command({
  name: "jobs edit",
  summary: "change the settings of a job in your editor",
  about:
    "Change the settings of a job: in the editor that VISUAL or EDITOR names, or with -d. Only what changed is sent; a change of how runs behave makes a new version.",
  args: [required("job", "slug or id of the job")],
  options: {
    data: text("-d, --data <json>", "the fields to change, instead of an editor: JSON, @file, or - for stdin"),
  },
  examples: ["millrace jobs edit send-mail", "millrace jobs edit send-mail -d '{\"timeout_secs\": 60}'"],
  run: async (cli, { args: [given = ""], options }) => {
    const before = await withSlug(cli, "jobs", given, (path) => cli.client().request<Job>("GET", path));
    if (options.data !== undefined) return save(cli, before, (await readJson(cli, options.data)) as Fields);
    if (!cli.terminal.input) {
      throw new CommandError("usage", "An editor needs a terminal.", ["Pass the changes with -d."]);
    }
    await editInEditor(cli, before);
  },
});

async function editInEditor(cli: Cli, before: Job): Promise<void> {
  const { stringify } = await import("yaml");
  const { UpdateJob } = await import("@millrace/contract/jobs/jobs");
  const fields = Object.keys(UpdateJob.properties).map((name) => [name, (before as Fields)[name]]);
  const text = stringify(Object.fromEntries(fields), { lineWidth: 0 });
  await editText(cli, { name: `${before.slug}.yaml`, text }, async (edited) => {
    const after = await parseDocument(edited, "The edited text");
    const isChanged = ([name, value]: [string, unknown]) =>
      JSON.stringify(value) !== JSON.stringify((before as Fields)[name]);
    await save(cli, before, Object.fromEntries(Object.entries(after).filter(isChanged)));
  });
}

async function save(cli: Cli, before: Job, changes: Fields): Promise<void> {
  if (Object.keys(changes).length === 0) return cli.say("Nothing was changed.");
  const said = ({ slug, version }: Job) =>
    version === before.version ? `${slug} was changed (version ${version})` : `${slug} has the new version ${version}`;
  await send(cli, { method: "PATCH", path: `/v1/jobs/${before.id}`, body: changes, said });
}

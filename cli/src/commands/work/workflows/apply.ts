import type { WorkflowPlan } from "@millrace/contract/workflows/workflow-versions";
import type { CreateWorkflow, Workflow } from "@millrace/contract/workflows/workflows";
import type { Cli } from "../../../cli.ts";
import { command, flag, text } from "../../../command.ts";
import type { ExitName } from "../../../exit-codes.ts";
import { printJson } from "../../../output/print-object.ts";
import { applyFolder } from "../../../workflows/apply-folder.ts";
import { applyWorkflow, unlessMissing } from "../../../workflows/apply-workflow.ts";
import { printPlan } from "../../../workflows/print-workflow-plan.ts";
import { isFolder, readDefinition, slugOf } from "../../../workflows/read-definitions.ts";

export const workflowsApply = command({
  name: "workflows apply",
  summary: "create workflows from a file or a folder, or change them to match",
  about:
    "Create the workflow of a definition in a file, or change the one with its slug to match. A changed definition becomes a new version. Fields that the file does not name keep their values. A definition that is not valid changes nothing. With a folder, apply every JSON and YAML file in it, sub-workflows first; an error of one does not stop the others. `millrace apply --prune` is for a configuration that also deletes.",
  options: {
    file: text("-f, --file <path>", "definition as JSON or YAML: a file, a folder of them, or - for stdin"),
    breaking: flag("--breaking", "mark new versions as breaking changes"),
    dryRun: flag("--dry-run", "check the steps against the workflows that exist, and change nothing"),
  },
  examples: [
    "millrace workflows apply -f order.json",
    "millrace workflows apply -f workflows/",
    "millrace workflows apply -f order.json --dry-run",
  ],
  waitsForLimits: true,
  run: async (cli, { options }) => {
    if (options.file !== undefined && isFolder(cli, options.file)) return applyFolder(cli, options.file, options);
    const definition = await readDefinition(cli, options.file);
    if (options.dryRun) return check(cli, definition);
    const { said, workflow } = await applyWorkflow(cli, definition, options.breaking);
    if (cli.format !== "human") printJson(cli, workflow);
    else cli.say(said);
    return "ok";
  },
});

async function check(cli: Cli, definition: CreateWorkflow): Promise<ExitName> {
  const slug = slugOf(definition);
  const path = `/v1/workflows/${encodeURIComponent(slug)}`;
  const client = cli.client();
  if ((await unlessMissing(client.request<Workflow>("GET", path))) === undefined) {
    await client.request("POST", "/v1/workflows", { query: { dry_run: true }, body: definition });
    if (cli.format !== "human") printJson(cli, { slug, would: "create" });
    else cli.say(`${slug} is valid. It does not exist and would be created.`);
    return "ok";
  }
  const body = { steps: definition.steps };
  return printPlan(cli, await client.request<WorkflowPlan>("POST", `${path}/plan`, { body }));
}

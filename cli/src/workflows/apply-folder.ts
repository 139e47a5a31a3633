import type { WorkflowPlan } from "@millrace/contract/workflows/workflow-versions";
import type { CreateWorkflow } from "@millrace/contract/workflows/workflows";
import { ApiError } from "@millrace/sdk";
import type { Cli } from "../cli.ts";
import type { ExitName } from "../exit-codes.ts";
import { plural } from "../output/plural.ts";
import { printJson } from "../output/print-object.ts";
import { progressBar } from "../output/progress-bar.ts";
import { applyWorkflow, unlessMissing } from "./apply-workflow.ts";
import { isAboutNew, newIssues } from "./new-issues.ts";
import { readFolder, slugOf } from "./read-definitions.ts";

type Result = { file: string; slug: string; error: string | null };

/** Applies or checks every definition of a folder. */
export async function applyFolder(
  cli: Cli,
  folder: string,
  { breaking, dryRun }: { breaking: boolean; dryRun: boolean },
): Promise<ExitName> {
  const definitions = await readFolder(cli, folder);
  const results: Result[] = [];
  const created = new Set(definitions.map(({ definition }) => `workflow ${slugOf(definition)}`));
  const bar = progressBar(cli, dryRun ? "checking" : "applying");
  try {
    for (const { file, definition } of definitions) {
      bar.at(results.length, definitions.length);
      const said = dryRun
        ? await outcomeOf(() => checkedOf(cli, definition, created))
        : await outcomeOf(async () => ({ text: (await applyWorkflow(cli, definition, breaking)).said, error: null }));
      results.push({ file, slug: slugOf(definition), error: said.error });
      bar.end();
      if (cli.format === "human") cli.say(said.error === null ? said.text : `${file}: ${said.error}`);
    }
  } finally {
    bar.end();
  }
  const failed = results.filter(({ error }) => error !== null).length;
  if (cli.format !== "human") printJson(cli, { results });
  else
    cli.say(`${plural(definitions.length - failed, "workflow")} ${dryRun ? "checked" : "applied"}, ${failed} failed.`);
  return failed === 0 ? "ok" : "failure";
}

type Outcome = { text: string; error: string | null };

/** An error response concerns only that workflow; any other error ends the command. */
async function outcomeOf(work: () => Promise<Outcome>): Promise<Outcome> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const fields = error.fields.map(({ location, message }) => `${location} ${message}`);
    return { text: "", error: fields.length > 0 ? fields.join("; ") : error.message };
  }
}

async function checkedOf(cli: Cli, definition: CreateWorkflow, created: ReadonlySet<string>): Promise<Outcome> {
  const slug = slugOf(definition);
  const client = cli.client();
  const path = `/v1/workflows/${encodeURIComponent(slug)}/plan`;
  const body = { steps: definition.steps };
  const plan = await unlessMissing(client.request<WorkflowPlan>("POST", path, { body }));
  const issues = plan ? [...plan.issues, ...plan.policy_violations] : await newIssues(client, definition);
  const said = issues
    .filter((issue) => !isAboutNew(issue, definition, created))
    .map(({ location, message }) => `${location} ${message}`);
  const text = plan === undefined ? `${slug} would be created` : `${slug} is valid`;
  return { text, error: said.length > 0 ? said.join("; ") : null };
}

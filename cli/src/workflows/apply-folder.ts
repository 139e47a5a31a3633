import type { WorkflowPlan } from "@millrace/contract/workflows/workflow-versions";
import type { CreateWorkflow } from "@millrace/contract/workflows/workflows";
import { ApiError } from "@millrace/sdk";
import type { Cli } from "../cli.ts";
import type { ExitName } from "../exit-codes.ts";
import { plural } from "../output/plural.ts";
import { printJson } from "../output/print-object.ts";
import { progressBar } from "../output/progress-bar.ts";
import { applyWorkflow, unlessMissing } from "./apply-workflow.ts";
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
  const bar = progressBar(cli, dryRun ? "checking" : "applying");
  try {
    for (const { file, definition } of definitions) {
      bar.at(results.length, definitions.length);
      const said = await outcomeOf(cli, definition, { breaking, dryRun });
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

/** An error response concerns only that workflow; any other error ends the command. */
async function outcomeOf(
  cli: Cli,
  definition: CreateWorkflow,
  { breaking, dryRun }: { breaking: boolean; dryRun: boolean },
): Promise<{ text: string; error: string | null }> {
  try {
    if (!dryRun) return { text: (await applyWorkflow(cli, definition, breaking)).said, error: null };
    return await checkedOf(cli, definition);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const fields = error.fields.map(({ location, message }) => `${location} ${message}`);
    return { text: "", error: fields.length > 0 ? fields.join("; ") : error.message };
  }
}

async function checkedOf(cli: Cli, definition: CreateWorkflow): Promise<{ text: string; error: string | null }> {
  const slug = slugOf(definition);
  const path = `/v1/workflows/${encodeURIComponent(slug)}/plan`;
  const body = { steps: definition.steps };
  const plan = await unlessMissing(cli.client().request<WorkflowPlan>("POST", path, { body }));
  if (plan === undefined) return { text: `${slug} would be created`, error: null };
  const issues = [...plan.issues, ...plan.policy_violations].map(({ location, message }) => `${location} ${message}`);
  return { text: `${slug} is valid`, error: issues.length > 0 ? issues.join("; ") : null };
}

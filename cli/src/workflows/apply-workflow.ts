import type { CreateWorkflow, Workflow } from "@millrace/contract/workflows/workflows";
import { NotFoundError } from "@millrace/sdk";
import type { Cli } from "../cli.ts";
import { slugOf } from "./read-definitions.ts";

type Applied = { workflow: Workflow; said: string };

/** Creates the workflow with the slug of the definition, or changes it to match. */
export async function applyWorkflow(cli: Cli, definition: CreateWorkflow, breaking: boolean): Promise<Applied> {
  const slug = slugOf(definition);
  const path = `/v1/workflows/${encodeURIComponent(slug)}`;
  const client = cli.client();
  const before = await unlessMissing(client.request<Workflow>("GET", path));
  if (before === undefined) {
    const workflow = await client.request<Workflow>("POST", "/v1/workflows", { body: definition });
    return { workflow, said: `${slug} was created` };
  }
  const body = { ...definition, ...(breaking && { breaking_change: true }) };
  const workflow = await client.request<Workflow>("PATCH", path, { body });
  return { workflow, said: `${slug} ${changeOf(before, workflow)}` };
}

function changeOf(before: Workflow, { current_version, updated_at }: Workflow): string {
  if (current_version !== before.current_version) return `has the new version ${current_version}`;
  return `${updated_at === before.updated_at ? "is up to date" : "was changed"} (version ${current_version})`;
}

export async function unlessMissing<T>(finding: Promise<T>): Promise<T | undefined> {
  try {
    return await finding;
  } catch (error) {
    if (error instanceof NotFoundError) return undefined;
    throw error;
  }
}

import type { Environment } from "@millrace/contract/projects/environments";
import type { Project } from "@millrace/contract/projects/projects";
import { resolveId } from "../../api/resolve-id.ts";
import type { Cli } from "../../cli.ts";
import { command, optional } from "../../command.ts";
import { openInBrowser } from "../../service/open-in-browser.ts";

export const open = command({
  name: "open",
  summary: "open the dashboard, or a run in it",
  about: "Open the dashboard of the project, or a run in it. In a pipe, print the URL instead.",
  args: [optional("run", "run id, prefix of an id, or @last")],
  examples: ["millrace open", "millrace open @last"],
  run: async (cli, { args: [given] }) => {
    const url = await urlOf(cli, given);
    if (cli.format !== "human") return cli.write(`${JSON.stringify({ url })}\n`);
    cli.write(`${url}\n`);
    if (cli.terminal.out) openInBrowser(cli, url);
  },
});

async function urlOf(cli: Cli, given: string | undefined): Promise<string> {
  const client = cli.client();
  const run = given === undefined ? undefined : await resolveId(cli, "runs", given);
  const { project_id, environment_id } = await client.request<{ project_id: string; environment_id: string | null }>(
    "GET",
    run === undefined ? "/v1/me" : `/v1/runs/${run}`,
  );
  const { slug } = await client.request<Project>("GET", `/v1/projects/${project_id}`);
  const place = environment_id === null ? "-" : await slugOf(cli, environment_id);
  return `${client.baseUrl}/p/${slug}/${place}/${run === undefined ? "" : `runs/${run}`}`;
}

async function slugOf(cli: Cli, id: string): Promise<string> {
  return (await cli.client().request<Environment>("GET", `/v1/environments/${id}`)).slug;
}

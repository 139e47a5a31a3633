import type { Me } from "@millrace/contract/access/me";
import { slugsOf } from "../../api/names.ts";
import { command } from "../../command.ts";
import { printObject } from "../../output/print-object.ts";

export const whoami = command({
  name: "whoami",
  summary: "show the current user, service and API key, and where they are configured",
  examples: ["millrace whoami"],
  run: async (cli) => {
    const me = await cli.client().request<Me>("GET", "/v1/me");
    const { baseUrl, apiKey } = cli.settings;
    const slugOf = async (kind: "projects" | "environments", id: string | null) =>
      id === null || cli.format !== "human" ? id : slugsOf(cli, kind)(id);
    const project = await slugOf("projects", me.project_id);
    const environment = await slugOf("environments", me.environment_id);
    printObject(
      cli,
      { ...me, base_url: baseUrl.value, base_url_from: baseUrl.source, key_from: apiKey?.source ?? null },
      () => [
        ["service", `${baseUrl.value} (${baseUrl.source})`],
        ["key", apiKey ? `${hidden(apiKey.value)} (${apiKey.source})` : null],
        ["kind", me.kind],
        ["name", me.name],
        ["project", project],
        ["environment", environment],
        ["scopes", me.scopes === null ? "all" : me.scopes.join(" ")],
      ],
    );
  },
});

function hidden(key: string): string {
  return `${key.slice(0, 8)}…`;
}

import type { Me } from "@millrace/contract/access/me";
import { createClient } from "@millrace/sdk";
import { command, SERVICE_OPTIONS, text } from "../../command.ts";
import { CommandError } from "../../command-error.ts";
import { askSecret } from "../../output/ask.ts";
import { currentProfile, keepProfile } from "../../settings/profiles.ts";
import { DEFAULT_BASE_URL } from "../../settings/read-settings.ts";

export const login = command({
  name: "login",
  summary: "save an API key in a profile",
  about:
    "Save an API key in a profile (~/.config/millrace/config.json, readable only by you). The key is prompted for or read from stdin, because other users could see it as an argument.",
  options: {
    baseUrl: SERVICE_OPTIONS.baseUrl,
    profile: text("--profile <name>", "name of the profile (default: the current one, at first `default`)"),
  },
  callsService: false,
  examples: ["millrace login --base-url https://millrace.example.com --profile production", "millrace login < key.txt"],
  run: async (cli, { options }) => {
    const name = options.profile ?? currentProfile(cli.env);
    const base_url = options.baseUrl ?? cli.env.MILLRACE_BASE_URL ?? DEFAULT_BASE_URL;
    const api_key = (await askSecret(cli, `API key for ${base_url}`)).trim();
    if (api_key === "") throw new CommandError("usage", "No API key was given.");
    const me = await createClient({ baseUrl: base_url, apiKey: api_key }).request<Me>("GET", "/v1/me");
    const file = keepProfile(cli.env, name, { base_url, api_key });
    cli.say(`Signed in to ${base_url} as ${me.name ?? me.kind}. Saved as profile "${name}" in ${file}.`);
  },
});

import { type Command, command, required } from "../../command.ts";
import { CommandError } from "../../command-error.ts";
import { didYouMean } from "../../did-you-mean.ts";
import { printRows } from "../../output/print-rows.ts";
import { currentProfile, listProfiles, removeProfile, selectProfile } from "../../settings/profiles.ts";

export const profileCommands: readonly Command[] = [
  command({
    name: "profile list",
    summary: "list saved profiles, without their keys",
    examples: ["millrace profile list"],
    callsService: false,
    run: async (cli) => {
      const current = currentProfile(cli.env);
      const rows = Object.entries(listProfiles(cli.env)).map(([name, { base_url, api_key }]) => {
        return { name, base_url, key_prefix: api_key.slice(0, 12), is_current: name === current };
      });
      await printRows(cli, {
        rows,
        nothing: "No profiles. Save one with: millrace login",
        columns: [
          { title: "name", value: ({ name }) => name },
          { title: "service", value: ({ base_url }) => base_url },
          { title: "key", value: ({ key_prefix }) => `${key_prefix}…` },
          { title: "current", value: ({ is_current }) => (is_current ? "yes" : "") },
        ],
      });
    },
  }),
  command({
    name: "profile use",
    summary: "make a saved profile the one that commands use",
    about:
      "Make a saved profile the one that commands use without --profile. MILLRACE_PROFILE, and settings in the environment and .env.local, still take precedence.",
    args: [required("name", "name of the profile")],
    callsService: false,
    examples: ["millrace profile use production"],
    run: async (cli, { args: [name = ""] }) => {
      if (!selectProfile(cli.env, name)) throw noSuchProfile(name, Object.keys(listProfiles(cli.env)));
      cli.say(`Commands use the profile "${name}".`);
      if (cli.env.MILLRACE_PROFILE) cli.say(`MILLRACE_PROFILE=${cli.env.MILLRACE_PROFILE} takes precedence here.`);
    },
  }),
  command({
    name: "profile remove",
    summary: "remove a saved profile; its key stays valid",
    args: [required("name", "name of the profile")],
    callsService: false,
    examples: ["millrace profile remove staging"],
    run: async (cli, { args: [name = ""] }) => {
      if (!removeProfile(cli.env, name)) throw noSuchProfile(name, Object.keys(listProfiles(cli.env)));
      cli.say(`Removed ${name}. Revoke its key with: millrace keys revoke`);
    },
  }),
];

function noSuchProfile(name: string, names: readonly string[]): CommandError {
  const near = didYouMean(name, names);
  const hint = near.length > 0 ? `Did you mean ${near.join(", ")}?` : "Run `millrace profile list` to see all of them.";
  return new CommandError("not_found", `Profile "${name}" does not exist.`, [hint]);
}

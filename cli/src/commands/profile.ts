import { type Command, command, required } from "../command.ts";
import { CommandError } from "../command-error.ts";
import { printRows } from "../output/print-rows.ts";
import { listProfiles, removeProfile } from "../settings/profiles.ts";

export const profileCommands: readonly Command[] = [
  command({
    name: "profile list",
    summary: "list saved profiles, without their keys",
    callsService: false,
    run: async (cli) => {
      const current = cli.env.MILLRACE_PROFILE ?? "default";
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
    name: "profile remove",
    summary: "remove a saved profile; its key stays valid",
    args: [required("name", "name of the profile")],
    callsService: false,
    examples: ["millrace profile remove staging"],
    run: async (cli, { args: [name = ""] }) => {
      if (!removeProfile(cli.env, name)) throw new CommandError("not_found", `Profile "${name}" does not exist.`);
      cli.say(`Removed ${name}. Revoke its key with: millrace keys revoke`);
    },
  }),
];

import { command, SERVICE_OPTIONS } from "../../command.ts";
import { CommandError } from "../../command-error.ts";
import { currentProfile, removeProfile } from "../../settings/profiles.ts";

export const logout = command({
  name: "logout",
  summary: "remove the API key of a profile from this machine",
  about: "Remove a profile with its API key from this machine. The key stays valid: `millrace keys revoke` ends it.",
  options: { profile: SERVICE_OPTIONS.profile },
  callsService: false,
  examples: ["millrace logout", "millrace logout --profile production"],
  run: async (cli, { options }) => {
    const name = options.profile ?? currentProfile(cli.env);
    if (!removeProfile(cli.env, name)) throw new CommandError("not_found", `Profile "${name}" does not exist.`);
    cli.say(`Signed out of profile "${name}". Its key stays valid until it is revoked.`);
    if (cli.env.MILLRACE_API_KEY) cli.say("MILLRACE_API_KEY is still set, and takes precedence.");
  },
});

import { NotFoundError } from "@millrace/sdk";
import { send } from "../../../api/requests.ts";
import { command, flag, required } from "../../../command.ts";
import { CommandError } from "../../../command-error.ts";
import { confirm } from "../../../output/ask.ts";

export const eventsCancel = command({
  name: "events cancel",
  summary: "cancel the wait for an event key",
  about: "Cancel the wait for an event key: the run or step that waits for it fails.",
  args: [required("key", "event key")],
  options: { yes: flag("-y, --yes", "do not ask for confirmation") },
  examples: ["millrace events cancel order-42.paid"],
  run: async (cli, { args: [key = ""], options }) => {
    const path = `/v1/events/${encodeURIComponent(key)}`;
    await cli
      .client()
      .request("GET", path)
      .catch((error: Error) => {
        if (!(error instanceof NotFoundError)) throw error;
        throw new CommandError("not_found", `Nothing waits for "${key}".`, [
          "Run `millrace events list --status waiting` to see all waits.",
        ]);
      });
    await confirm(cli, `Cancel the wait for ${key}? What waits for it fails.`, options.yes);
    await send(cli, { method: "DELETE", path, said: () => `The wait for ${key} is canceled` });
  },
});

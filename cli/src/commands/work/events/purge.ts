import type { EventsPurged } from "@millrace/contract/events/events";
import { send } from "../../../api/requests.ts";
import { command, flag, text } from "../../../command.ts";
import { CommandError } from "../../../command-error.ts";
import { confirm } from "../../../output/ask.ts";
import { plural } from "../../../output/plural.ts";

const PATH = "/v1/events/purge";

export const eventsPurge = command({
  name: "events purge",
  summary: "delete event waits that ended long ago",
  about: "Delete event waits that ended longer ago than --older-than. Counts them first and asks for confirmation.",
  options: {
    olderThan: text("--older-than <days>", "age in days since the end of the wait, such as 30d"),
    dryRun: flag("--dry-run", "count them and delete none"),
    yes: flag("-y, --yes", "do not ask for confirmation"),
  },
  examples: ["millrace events purge --older-than 30d --dry-run"],
  run: async (cli, { options }) => {
    const older_than_days = readDays(options.olderThan);
    if (options.dryRun) {
      const said = ({ matched }: EventsPurged) => `${plural(matched, "wait")} would be deleted.`;
      return void (await send(cli, { path: PATH, body: { older_than_days, dry_run: true }, said }));
    }
    const body = { older_than_days };
    const { matched } = await cli
      .client()
      .request<EventsPurged>("POST", PATH, { body: { ...body, dry_run: true }, safe: true });
    if (matched > 0) await confirm(cli, `Delete ${plural(matched, "wait")}?`, options.yes);
    const said = ({ deleted }: EventsPurged) => `${plural(deleted, "wait")} deleted.`;
    await send(cli, { path: PATH, body, said });
  },
});

function readDays(given: string | undefined): number {
  const [, days] = /^(\d{1,5})d?$/.exec(given ?? "") ?? [];
  if (days !== undefined) return Number(days);
  throw new CommandError("usage", "Name the age with --older-than, in days such as 30d.");
}

import type { EventTrigger } from "@millrace/contract/events";
import { command, count, text } from "../../command.ts";
import { triggerColumns } from "../../output/event-columns.ts";
import { printRows } from "../../output/print-rows.ts";
import { takeRows } from "../../take-rows.ts";

export const eventsList = command({
  name: "events list",
  summary: "list event waits",
  options: {
    status: text("--status <status>", "waiting, received, timed_out or canceled"),
    sort: text("--sort <field>", "created_at (newest first) or expires_at (only waiting ones, soonest first)"),
    prefix: text("--prefix <prefix>", "only keys that start with this prefix"),
    limit: count("-n, --limit <n>", "maximum number of results (default: 20)"),
  },
  examples: ["millrace events list --status waiting --sort expires_at"],
  run: async (cli, { options }) => {
    const filters = { status: options.status, sort: options.sort, event_key_prefix: options.prefix };
    const taken = await takeRows<EventTrigger>(cli, "/v1/events", filters, options.limit ?? 20);
    await printRows(cli, { ...taken, columns: triggerColumns, nothing: "No waits." });
  },
});

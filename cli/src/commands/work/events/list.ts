import { listing } from "../../../api/requests.ts";
import { text } from "../../../command.ts";
import { triggerColumns } from "../../../output/event-columns.ts";

export const eventsList = listing({
  name: "events list",
  summary: "list event waits",
  options: {
    status: text("--status <status>", "waiting, received, timed_out or canceled"),
    sort: text("--sort <field>", "created_at (newest first) or expires_at (only waiting ones, soonest first)"),
    prefix: text("--prefix <prefix>", "only keys that start with this prefix"),
  },
  examples: ["millrace events list --status waiting --sort expires_at"],
  path: "/v1/events",
  filters: ({ status, sort, prefix }) => ({ status, sort, event_key_prefix: prefix }),
  nothing: "No waits.",
  limit: 20,
  columns: triggerColumns,
});

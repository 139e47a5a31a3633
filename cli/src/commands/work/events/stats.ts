import type { EventStats } from "@millrace/contract/events/events";
import { command, text } from "../../../command.ts";
import { printObject } from "../../../output/print-object.ts";

export const eventsStats = command({
  name: "events stats",
  summary: "count event waits by status",
  options: { env: text("--env <environment>", "only this environment (slug or id)") },
  examples: ["millrace events stats"],
  run: async (cli, { options }) => {
    const query = { environment_id: options.env };
    const stats = await cli.client().request<EventStats>("GET", "/v1/events/stats", { query });
    printObject(cli, stats, () => [
      ["waiting", String(stats.waiting)],
      ["received", String(stats.received)],
      ["timed out", String(stats.timed_out)],
      ["canceled", String(stats.canceled)],
    ]);
  },
});

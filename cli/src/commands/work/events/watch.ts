import type { EventTrigger } from "@millrace/contract/events/events";
import type { Cli } from "../../../cli.ts";
import { command, required } from "../../../command.ts";
import { exitOfStatus } from "../../../exit-codes.ts";
import { paintStatus } from "../../../output/status.ts";

export const eventsWatch = command({
  name: "events watch",
  summary: "follow the wait for an event key until it ends",
  about:
    "Follow the wait for an event key until it ends, and print each change. With --json and --ndjson the output includes the event's payload.",
  args: [required("key", "event key")],
  examples: ["millrace events watch order-42.paid"],
  run: async (cli, { args: [key = ""] }) => {
    const path = `/v1/events/${encodeURIComponent(key)}/stream`;
    let last: EventTrigger | undefined;
    for await (const { event, data } of cli.client().stream<EventTrigger>(path, { signal: cli.signal })) {
      if (event !== "status") continue;
      last = data;
      if (cli.format !== "json") cli.write(lineOf(cli, data));
    }
    if (cli.format === "json") cli.write(`${JSON.stringify(last, null, 2)}\n`);
    return exitOfStatus(last?.status ?? "failed");
  },
});

function lineOf(cli: Cli, trigger: EventTrigger): string {
  if (cli.format === "ndjson") return `${JSON.stringify(trigger)}\n`;
  const { status, updated_at, sent_by } = trigger;
  if (!cli.terminal.out) return `${updated_at}\t${status}\t${sent_by ?? ""}\n`;
  const by = sent_by === null ? "" : cli.colors.dim(` by ${sent_by}`);
  return `${cli.colors.dim(updated_at.slice(11, 23))}  ${paintStatus(cli.colors, status)}${by}\n`;
}

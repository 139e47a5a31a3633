import type { StreamChange } from "@millrace/contract/deliveries/streams";
import { printableText } from "@millrace/contract/schema/printable-text";
import { slugsOf } from "../../../api/names.ts";
import type { Cli } from "../../../cli.ts";
import { command, count, text } from "../../../command.ts";
import { checkQuery } from "../../../input/check-query.ts";
import { paintStatus } from "../../../output/status.ts";

export const runsTail = command({
  name: "runs tail",
  summary: "print status changes as they happen",
  options: {
    query: text("-q, --query <query>", "only runs that match this query at the time of the change"),
    limit: count("-n, --limit <n>", "stop after this many changes"),
  },
  examples: ["millrace runs tail -q 'job:send-mail status:failed'"],
  run: async (cli, { options }) => {
    await checkQuery(options.query);
    const nameOf = slugsOf(cli, "jobs");
    const stream = cli.client().stream<StreamChange>("/v1/stream", { query: { topics: "runs" }, signal: cli.signal });
    let printed = 0;
    for await (const { event, data } of stream) {
      if (event === "open") cli.say("Watching; press Ctrl-C to stop.");
      if (event === "reset") cli.say("Some changes may have been missed.");
      if (event !== "change" || !(await fits(cli, options.query, data.id))) continue;
      cli.write(await lineOf(cli, data, nameOf));
      printed += 1;
      if (printed === options.limit) return;
    }
  },
});

/** The stream has no payloads and takes no query, so each changed run is searched for with the query. */
async function fits(cli: Cli, query: string | undefined, runId: string): Promise<boolean> {
  if (query === undefined) return true;
  const q = `${query} ${runId}`;
  const { data } = await cli
    .client()
    .request<{ data: { id: string }[] }>("GET", "/v1/runs", { query: { q, limit: 1 } });
  return data.some(({ id }) => id === runId);
}

async function lineOf(cli: Cli, change: StreamChange, nameOf: (id: string) => Promise<string>): Promise<string> {
  if (cli.format !== "human") return `${JSON.stringify(change)}\n`;
  const { status = "", cause = "", attempt = 0, job_id = "" } = change.object as Record<string, string | number>;
  const name = printableText(await nameOf(String(job_id)));
  if (!cli.terminal.out) return `${[change.at, change.id, name, status, cause, attempt].join("\t")}\n`;
  const { colors } = cli;
  const word = paintStatus(colors, String(status)) + " ".repeat(Math.max(0, 10 - String(status).length));
  return `${colors.dim(change.at.slice(11, 23))}  ${change.id}  ${word} ${name}  ${colors.dim(`${cause}, attempt ${attempt}`)}\n`;
}

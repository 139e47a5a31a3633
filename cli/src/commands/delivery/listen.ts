import { randomBytes } from "node:crypto";
import type { StreamChange } from "@millrace/contract/deliveries/streams";
import type { WebhookDelivery, WebhookDeliveryDetail } from "@millrace/contract/deliveries/webhook-deliveries";
import type { Cli } from "../../cli.ts";
import { command, count, list, text } from "../../command.ts";
import { CommandError } from "../../command-error.ts";
import { countSends } from "../../listen/count-sends.ts";
import { type Forwarded, forwardDelivery } from "../../listen/forward-delivery.ts";

const MAX_BACKFILL = 100;

export const listen = command({
  name: "listen",
  summary: "forward webhook deliveries to a server on this machine",
  about:
    "Forward copies of the project's webhook deliveries to a server on this machine: those that the service sends from now on, and those that someone sends again (`webhooks retry`, or in the dashboard). The body is the same; the signature is made with MILLRACE_SIGNING_SECRET, or with a secret that is printed. The project needs a webhook subscription.",
  options: {
    forwardTo: text("--forward-to <url>", "URL on this machine, such as http://localhost:3000/hook"),
    event: list("--event <type>", "only events of this type, or of a kind such as `run.*`; can be repeated"),
    map: list("--map <event=url>", "another URL for events of this type or kind; can be repeated"),
    backfill: text("--backfill <duration>", "first forward the deliveries of the last 10m, 2h or similar"),
    limit: count("-n, --limit <n>", "stop after this many deliveries"),
  },
  examples: [
    "millrace listen --forward-to http://localhost:3000/hook",
    "millrace listen --forward-to localhost:3000/hook --event 'run.*' --backfill 10m",
  ],
  run: async (cli, { options }) => {
    const targets = [...options.map.map(readMapping), { event: "*", url: readUrl(options.forwardTo) }];
    const accepted = options.event.length === 0 ? ["*"] : options.event;
    const secret = cli.settings.signingSecret ?? `whsec_${randomBytes(24).toString("base64")}`;
    if (!cli.settings.signingSecret) cli.say(`Signing secret of this session: ${secret}`);
    let left = options.limit ?? Number.POSITIVE_INFINITY;
    const forward = async (delivery: WebhookDeliveryDetail) => {
      const target = targets.find(({ event }) => covers(event, delivery.event_type));
      if (!target || left === 0 || !accepted.some((event) => covers(event, delivery.event_type))) return;
      left -= 1;
      print(cli, delivery, await forwardDelivery(delivery, target.url, secret));
    };
    const sinceMs = Date.now() - durationMs(options.backfill ?? "0s");
    await follow(cli, sinceMs, forward, () => left === 0);
  },
});

type Forward = (delivery: WebhookDeliveryDetail) => Promise<void>;

async function follow(cli: Cli, sinceMs: number, forward: Forward, isDone: () => boolean): Promise<void> {
  const done = new Map<string, number>();
  const catchUp = async (id: string) => {
    const delivery = await cli.client().request<WebhookDeliveryDetail>("GET", `/v1/webhook-deliveries/${id}`);
    const sends = countSends(delivery, sinceMs);
    for (let nth = done.get(id) ?? 0; nth < sends; nth++) await forward(delivery);
    done.set(id, Math.max(sends, done.get(id) ?? 0));
  };
  const stream = cli.client().stream<StreamChange>("/v1/stream", {
    ...{ query: { topics: "webhook_deliveries" }, signal: cli.signal },
  });
  for await (const { event, data } of stream) {
    // Deliveries from between two connections, and from before the first one.
    if (event === "open" || event === "reset") {
      for (const id of await recentIds(cli, sinceMs)) await catchUp(id);
      if (event === "open") cli.say("Listening; press Ctrl-C to stop.");
    }
    if (event === "change") await catchUp(data.id);
    if (isDone()) return;
  }
}

/** Oldest first. */
async function recentIds(cli: Cli, sinceMs: number): Promise<string[]> {
  const query = { from: new Date(sinceMs).toISOString(), limit: MAX_BACKFILL };
  const { data } = await cli.client().request<{ data: WebhookDelivery[] }>("GET", "/v1/webhook-deliveries", { query });
  return data.map(({ id }) => id).reverse();
}

function print(cli: Cli, { id, event_type }: WebhookDeliveryDetail, forwarded: Forwarded): void {
  if (cli.format !== "human")
    return void cli.write(`${JSON.stringify({ delivery_id: id, event_type, ...forwarded })}\n`);
  const outcome = forwarded.error ?? String(forwarded.status);
  if (!cli.terminal.out) return void cli.write(`${[id, event_type, outcome, forwarded.duration_ms].join("\t")}\n`);
  const isAccepted = forwarded.status !== null && forwarded.status < 300;
  const shown = isAccepted ? cli.colors.green(outcome) : cli.colors.red(outcome);
  cli.write(`${id}  ${event_type}  ${shown}  ${cli.colors.dim(`${forwarded.duration_ms} ms`)}\n`);
}

function covers(pattern: string, type: string): boolean {
  return pattern === "*" || pattern === type || (pattern.endsWith(".*") && type.startsWith(pattern.slice(0, -1)));
}

function readMapping(given: string): { event: string; url: string } {
  const at = given.indexOf("=");
  if (at < 1) throw new CommandError("usage", `"${given}" is not a mapping.`, ["Write run.failed=http://localhost/…"]);
  return { event: given.slice(0, at), url: readUrl(given.slice(at + 1)) };
}

function readUrl(given: string | undefined): string {
  const url = given === undefined || /^https?:\/\//.test(given) ? given : `http://${given}`;
  if (url !== undefined && URL.canParse(url)) return url;
  throw new CommandError("usage", "Name the URL to forward to.", ["--forward-to http://localhost:3000/hook"]);
}

const UNITS_MS: Record<string, number> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

function durationMs(given: string): number {
  const [, amount, unit = ""] = /^(\d{1,4})([smhd])$/.exec(given) ?? [];
  if (amount !== undefined) return Number(amount) * (UNITS_MS[unit] ?? 0);
  throw new CommandError("usage", `"${given}" is not a duration.`, ["Write 30s, 10m, 2h or 1d."]);
}

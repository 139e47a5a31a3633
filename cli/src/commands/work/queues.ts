import type { Queue, QueueLoad, QueueState } from "@millrace/contract/workers/queues";
import { findListed } from "../../api/names.ts";
import { listing, send } from "../../api/requests.ts";
import type { Cli } from "../../cli.ts";
import { type Command, command, count, flag, required, text } from "../../command.ts";
import { CommandError } from "../../command-error.ts";
import { confirm } from "../../output/ask.ts";
import { printObject } from "../../output/print-object.ts";

const queue = required("queue", "name of the queue");

const settings = {
  maxConcurrency: text("--max-concurrency <n>", "maximum number of runs at the same time, or none"),
  rateLimit: text("--rate-limit <n/secs>", "maximum number of starts in any window of that many seconds, or none"),
  weight: count("--weight <n>", "share of this queue when a worker serves several, 1 to 1000"),
  description: text("--description <text>", "what the queue is for"),
};

/** By name; a misspelled one gets a suggestion. */
async function pathOf(cli: Cli, given: string): Promise<string> {
  const kind = {
    noun: "Queue",
    path: "/v1/queues",
    listedBy: "millrace queues list",
    nameOf: ({ name }: Queue) => name,
  };
  const { name } = await findListed<Queue>(cli, kind, given);
  return `/v1/queues/${encodeURIComponent(name)}`;
}

export const queuesCommands: readonly Command[] = [
  listing({
    name: "queues list",
    summary: "list queues with their limits and load",
    examples: ["millrace queues list"],
    path: "/v1/queues",
    nothing: "No queues.",
    columns: [
      { title: "name", value: ({ name }: QueueLoad) => name },
      { title: "state", value: ({ paused }) => (paused ? "paused" : "active") },
      { title: "concurrency", value: ({ max_concurrency }) => `${max_concurrency ?? ""}` },
      { title: "rate", value: (row) => rateOf(row) ?? "" },
      { title: "weight", value: ({ weight }) => `${weight}` },
      { title: "waiting", value: (row) => waitingOf(row) },
      { title: "in flight", value: ({ in_flight }) => `${in_flight}` },
      { title: "workers", value: ({ workers }) => `${workers}` },
      { title: "description", value: ({ description }) => description ?? "" },
    ],
  }),
  command({
    name: "queues get",
    summary: "show a queue with its load",
    args: [queue],
    examples: ["millrace queues get mail"],
    run: async (cli, { args: [given = ""] }) => {
      const found = await cli.client().request<QueueState>("GET", await pathOf(cli, given));
      printObject(cli, found, () => [
        ["name", found.name],
        ["state", found.paused ? `paused since ${found.paused_at}` : "active"],
        ["concurrency", found.max_concurrency === null ? null : `${found.max_concurrency}`],
        ["rate", rateOf(found)],
        ["weight", `${found.weight}`],
        ["jobs", `${found.jobs}`],
        ["workers", `${found.workers}`],
        ["waiting", waitingOf(found)],
        ["in flight", `${found.in_flight}`],
        ["per minute", `${found.started_per_minute} started, ${found.ended_per_minute} ended`],
        ["description", found.description],
      ]);
    },
  }),
  command({
    name: "queues create",
    summary: "create a queue: limits and a pause that several jobs share",
    args: [queue],
    options: settings,
    examples: ["millrace queues create mail --max-concurrency 10 --rate-limit 100/60"],
    run: async (cli, { args: [name = ""], options }) => {
      await send(cli, { path: "/v1/queues", body: { name, ...bodyOf(options) }, said: () => `${name} was created` });
    },
  }),
  command({
    name: "queues update",
    summary: "change a queue; its limits apply at once, to queued runs too",
    args: [queue],
    options: settings,
    examples: ["millrace queues update mail --max-concurrency none"],
    run: async (cli, { args: [given = ""], options }) => {
      const body = bodyOf(options);
      if (Object.keys(body).length === 0)
        throw new CommandError("usage", "Nothing to change: pass at least one option.");
      const said = ({ name }: Queue) => `${name} was changed`;
      await send(cli, { method: "PATCH", path: await pathOf(cli, given), body, said });
    },
  }),
  command({
    name: "queues pause",
    summary: "pause a queue: the runs of its jobs wait",
    args: [queue],
    examples: ["millrace queues pause mail"],
    run: async (cli, { args: [given = ""] }) => {
      await send(cli, { path: `${await pathOf(cli, given)}/pause`, said: ({ name }: Queue) => `${name} is paused` });
    },
  }),
  command({
    name: "queues resume",
    summary: "resume a paused queue",
    args: [queue],
    examples: ["millrace queues resume mail"],
    run: async (cli, { args: [given = ""] }) => {
      await send(cli, { path: `${await pathOf(cli, given)}/resume`, said: ({ name }: Queue) => `${name} is active` });
    },
  }),
  command({
    name: "queues delete",
    summary: "delete a queue without jobs",
    args: [queue],
    options: { yes: flag("-y, --yes", "do not ask for confirmation") },
    examples: ["millrace queues delete mail"],
    run: async (cli, { args: [given = ""], options }) => {
      const path = await pathOf(cli, given);
      await confirm(cli, `Delete the queue ${given}?`, options.yes);
      await send(cli, { method: "DELETE", path, said: () => `${given} was deleted` });
    },
  }),
];

function rateOf({ rate_limit_max, rate_limit_window_secs }: Queue): string | null {
  return rate_limit_max === null ? null : `${rate_limit_max} in ${rate_limit_window_secs} s`;
}

function waitingOf({ depth, oldest_age_secs }: QueueLoad): string {
  return oldest_age_secs === null ? `${depth}` : `${depth}, the oldest for ${Math.round(oldest_age_secs)} s`;
}

type Settings = {
  maxConcurrency: string | undefined;
  rateLimit: string | undefined;
  weight: number | undefined;
  description: string | undefined;
};

function bodyOf({ maxConcurrency, rateLimit, weight, description }: Settings): Record<string, unknown> {
  return {
    ...(maxConcurrency !== undefined && { max_concurrency: readConcurrency(maxConcurrency) }),
    ...(rateLimit !== undefined && readRate(rateLimit)),
    ...(weight !== undefined && { weight }),
    ...(description !== undefined && { description }),
  };
}

function readConcurrency(given: string): number | null {
  if (given === "none") return null;
  if (/^[1-9]\d*$/.test(given)) return Number(given);
  throw new CommandError("usage", `--max-concurrency must be a number such as 10, or none, not ${given}.`);
}

function readRate(given: string): { rate_limit_max: number | null; rate_limit_window_secs: number | null } {
  if (given === "none") return { rate_limit_max: null, rate_limit_window_secs: null };
  const [found, max, secs] = /^([1-9]\d*)\/([1-9]\d*)$/.exec(given) ?? [];
  if (found === undefined)
    throw new CommandError("usage", `--rate-limit must be such as 100/60 (100 starts in 60 s), or none, not ${given}.`);
  return { rate_limit_max: Number(max), rate_limit_window_secs: Number(secs) };
}

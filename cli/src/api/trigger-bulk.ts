import { setTimeout as pause } from "node:timers/promises";
import type { BulkTriggerResult } from "@millrace/contract/events/triggers";
import { RateLimitError } from "@millrace/sdk";
import type { Cli } from "../cli.ts";
import { CommandError } from "../command-error.ts";
import type { ExitName } from "../exit-codes.ts";
import { readTextOf } from "../input/read-json.ts";
import { progressBar } from "../output/progress-bar.ts";
import { withSlug } from "./names.ts";

const MAX_PER_REQUEST = 100;

type Item = Record<string, unknown>;
type Bulk = { job: string; file: string; shared: Item; idempotencyKey: string | undefined };
type Result = BulkTriggerResult["results"][number] & { line: number };

/** Starts one run per line, 100 per request. Rejected items are reported and do not stop the others. */
export async function triggerBulk(cli: Cli, { job, file, shared, idempotencyKey }: Bulk): Promise<ExitName> {
  const items = readItems(await readTextOf(cli, file), file).map((item, nth) => ({
    ...shared,
    ...(idempotencyKey !== undefined && { idempotency_key: `${idempotencyKey}:${nth + 1}` }),
    ...item,
  }));
  const bar = progressBar(cli, "triggering");
  const results: Result[] = [];
  try {
    for (let from = 0; from < items.length; from += MAX_PER_REQUEST) {
      bar.at(from, items.length);
      results.push(...(await triggerSome(cli, job, items.slice(from, from + MAX_PER_REQUEST), from)));
    }
    bar.at(items.length, items.length);
  } finally {
    bar.end();
    if (results.length < items.length) cli.say(`Stopped after ${results.length} of ${items.length} items.`);
  }
  return printResults(cli, results);
}

/** A rate-limited request had no effect and is repeated after the requested delay. */
async function triggerSome(cli: Cli, job: string, items: Item[], from: number): Promise<Result[]> {
  const send = (path: string) =>
    cli.client().request<BulkTriggerResult>("POST", `${path}/trigger/bulk`, { body: { items } });
  try {
    const { results } = await withSlug(cli, "jobs", job, send);
    return results.map((result) => ({ ...result, index: from + result.index, line: from + result.index + 1 }));
  } catch (error) {
    if (!(error instanceof RateLimitError) || error.retryAfterSecs === undefined) throw error;
    cli.say(`Rate limited; continuing in ${Math.ceil(error.retryAfterSecs)} s.`);
    await pause(error.retryAfterSecs * 1_000, undefined, { signal: cli.signal });
    return triggerSome(cli, job, items, from);
  }
}

/** Skips empty lines. */
function readItems(text: string, file: string): Item[] {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== "");
  if (lines.length === 0) throw new CommandError("usage", `${file} contains no items.`);
  return lines.map((line, nth) => readItem(line, `${file}, item ${nth + 1}`));
}

function readItem(line: string, place: string): Item {
  try {
    const item: unknown = JSON.parse(line);
    if (typeof item === "object" && item !== null && !Array.isArray(item)) return item as Item;
  } catch (error) {
    throw new CommandError("usage", `${place} is not valid JSON: ${(error as Error).message}`);
  }
  throw new CommandError("usage", `${place} is not an object.`, ['Each line is an item: {"payload": {"to": "ada"}}']);
}

function printResults(cli: Cli, results: Result[]): ExitName {
  const count = (status: Result["status"]) => results.filter((result) => result.status === status).length;
  const summary = { created: count("created"), existing: count("existing"), failed: count("failed") };
  if (cli.format === "json") cli.write(`${JSON.stringify({ ...summary, results }, null, 2)}\n`);
  else if (cli.format === "ndjson") cli.write(results.map((result) => `${JSON.stringify(result)}\n`).join(""));
  else {
    for (const { run_id } of results) if (run_id !== null && !cli.terminal.out) cli.write(`${run_id}\n`);
    for (const { line, error } of results) if (error) cli.say(`item ${line}: ${error.message} (${error.code})`);
    cli.say(`${summary.created} started, ${summary.existing} already existed, ${summary.failed} rejected.`);
  }
  return summary.failed > 0 ? "failure" : "ok";
}

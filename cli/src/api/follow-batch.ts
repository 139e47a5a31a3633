import { setTimeout as pause } from "node:timers/promises";
import type { BatchOperation } from "@millrace/contract/runs/batch-operations";
import type { Cli } from "../cli.ts";
import type { ExitName } from "../exit-codes.ts";
import { printJson } from "../output/print-object.ts";
import { progressBar } from "../output/progress-bar.ts";

const POLL_INTERVAL_MS = 300;

/** Waits for a batch operation. Interrupting the command does not stop the operation. */
export async function followBatch(cli: Cli, started: BatchOperation, what: string): Promise<ExitName> {
  const bar = progressBar(cli, what);
  let batch = started;
  try {
    while (batch.finished_at === null) {
      bar.at(batch.processed, batch.total);
      await pause(POLL_INTERVAL_MS, undefined, { signal: cli.signal });
      batch = await cli.client().request<BatchOperation>("GET", `/v1/batch-operations/${started.id}`);
    }
  } finally {
    bar.end();
    if (batch.finished_at === null)
      cli.say(`The operation continues: millrace api GET /v1/batch-operations/${started.id}`);
  }
  if (cli.format !== "human") printJson(cli, batch);
  else cli.say(`${batch.succeeded} succeeded, ${batch.skipped} skipped, ${batch.failed} failed (batch ${batch.id}).`);
  return batch.status === "completed" && batch.failed === 0 ? "ok" : "failure";
}

import type { AnyJob, JobInput, JobOutput } from "../define-job.ts";
import { MillraceError } from "../errors.ts";
import type { BulkTriggerResult, TriggerJob } from "../generated/schemas.ts";
import type { ClientCore } from "./create-core.ts";
import { type RunHandle, runHandle } from "./run-handle.ts";
import { type TriggerOptions, triggerBody } from "./trigger-job.ts";

/**
 * An item of `client.jobs.triggerBatch`.
 *
 * @example
 * const items: BatchItem<{ to: string }>[] = ["ann", "bob"].map((name) => ({ payload: { to: `${name}@example.com` } }));
 * await client.jobs.triggerBatch(sendMail, items);
 */
export type BatchItem<Input> = { payload: Input; options?: Omit<TriggerOptions, "signal"> };

/**
 * What became of an item: a handle of its run, or the error.
 *
 * @example
 * const report = (item: BatchItemResult) => (item.status === "failed" ? item.error.message : item.run.id);
 */
export type BatchItemResult<Output = unknown> =
  | { index: number; status: "created" | "existing"; run: RunHandle<Output> }
  | { index: number; status: "failed"; error: { code: string; message: string } };

/**
 * The result of `client.jobs.triggerBatch`.
 *
 * @example
 * const batch: BatchResult<{ id: string }> = await client.jobs.triggerBatch(sendMail, [{ payload: { to: "ann@example.com" } }]);
 * console.log(`${batch.created} created, ${batch.failed} failed`);
 */
export type BatchResult<Output = unknown> = {
  /** One id per chunk; runs refer to it as `batch_id`. */
  batchIds: string[];
  /** In item order. */
  results: BatchItemResult<Output>[];
  created: number;
  existing: number;
  failed: number;
};

/**
 * Options of `client.jobs.triggerBatch`.
 *
 * @example
 * const options: BatchOptions = { onProgress: (done, total) => console.log(`${done} of ${total}`) };
 * await client.jobs.triggerBatch(sendMail, [{ payload: { to: "ann@example.com" } }], options);
 */
export type BatchOptions = {
  signal?: AbortSignal;
  /** Called after each chunk. */
  onProgress?: (done: number, total: number) => void;
};

export type TriggerBatchFn = <J extends AnyJob>(
  job: J | string,
  items: readonly BatchItem<JobInput<J>>[],
  options?: BatchOptions,
) => Promise<BatchResult<JobOutput<J>>>;

const MAX_ITEMS = 100;
/** Below the default body limit of one megabyte. */
const MAX_BYTES = 900_000;
/** The service accepts about 30 chunks per minute from one address; further ones wait for `Retry-After`. */
const RETRIES = 20;

/** Starts any number of runs in chunks. A rejected item does not stop the others. */
export function triggerBatchOf(core: ClientCore): TriggerBatchFn {
  return (async (job: AnyJob | string, items: readonly BatchItem<unknown>[], options: BatchOptions = {}) => {
    const path = `/v1/jobs/${encodeURIComponent(typeof job === "string" ? job : job.id)}/trigger/bulk`;
    const prepared = await Promise.all(items.map((item) => prepare(job, item)));
    const results: (BatchItemResult | undefined)[] = prepared.map(
      ({ refused }, index) => refused && { index, status: "failed", error: refused },
    );
    const batchIds: string[] = [];
    for (const chunk of chunksOf(prepared)) {
      const response = await core.request<BulkTriggerResult>("POST", path, {
        body: { items: chunk.map(({ body }) => body) },
        // Each item has its own idempotency key, so a repeated chunk starts nothing twice.
        idempotencyKey: crypto.randomUUID(),
        retries: RETRIES,
        signal: options.signal,
      });
      batchIds.push(response.batch_id);
      for (const result of response.results) {
        const index = chunk[result.index]?.index ?? -1;
        results[index] = present(core, index, result);
      }
      options.onProgress?.(results.filter(Boolean).length, items.length);
    }
    return summary(batchIds, results as BatchItemResult[]);
  }) as TriggerBatchFn;
}

type Prepared = { index: number; body: TriggerJob; refused: { code: string; message: string } | undefined };

async function prepare(job: AnyJob | string, item: BatchItem<unknown>): Promise<Omit<Prepared, "index">> {
  try {
    return { body: await triggerBody(job, item.payload, item.options ?? {}), refused: undefined };
  } catch (error) {
    if (!(error instanceof MillraceError)) throw error;
    return { body: {}, refused: { code: error.code, message: error.message } };
  }
}

function* chunksOf(prepared: Omit<Prepared, "index">[]): Generator<Prepared[]> {
  let chunk: Prepared[] = [];
  let bytes = 0;
  for (const [index, item] of prepared.entries()) {
    if (item.refused) continue;
    const size = JSON.stringify(item.body).length * 2;
    if (chunk.length > 0 && (chunk.length === MAX_ITEMS || bytes + size > MAX_BYTES)) {
      yield chunk;
      chunk = [];
      bytes = 0;
    }
    chunk.push({ ...item, index });
    bytes += size;
  }
  if (chunk.length > 0) yield chunk;
}

function present(core: ClientCore, index: number, result: BulkTriggerResult["results"][number]): BatchItemResult {
  if (result.status !== "failed" && result.run_id !== null) {
    return { index, status: result.status, run: runHandle(core, result.run_id) };
  }
  const { code, message } = result.error ?? { code: "failed", message: "The service rejected the item." };
  return { index, status: "failed", error: { code, message } };
}

function summary(batchIds: string[], results: BatchItemResult[]): BatchResult {
  const count = (status: BatchItemResult["status"]) => results.filter((each) => each.status === status).length;
  return { batchIds, results, created: count("created"), existing: count("existing"), failed: count("failed") };
}

import type { AnyJob, JobInput, JobOutput } from "../define-job.ts";
import { MillraceError } from "../errors.ts";
import type { BulkTriggerResult, TriggerJob } from "../generated/schemas.ts";
import type { ClientCore } from "./create-core.ts";
import { type RunHandle, runHandle } from "./run-handle.ts";
import { type TriggerOptions, triggerBody } from "./trigger-job.ts";

export type BatchItem<Input> = { payload: Input; options?: Omit<TriggerOptions, "signal"> };

export type BatchItemResult<Output = unknown> =
  | { index: number; status: "created" | "existing"; run: RunHandle<Output> }
  | { index: number; status: "failed"; error: { code: string; message: string } };

export type BatchResult<Output = unknown> = {
  /** One for each chunk of the batch; runs carry theirs as `batch_id`. */
  batchIds: string[];
  /** In the order of the items. */
  results: BatchItemResult<Output>[];
  created: number;
  existing: number;
  failed: number;
};

export type BatchOptions = {
  signal?: AbortSignal;
  /** Told after each chunk. */
  onProgress?: (done: number, total: number) => void;
};

export type TriggerBatchFn = <J extends AnyJob>(
  job: J | string,
  items: readonly BatchItem<JobInput<J>>[],
  options?: BatchOptions,
) => Promise<BatchResult<JobOutput<J>>>;

const MOST_ITEMS = 100;
/** Below the megabyte that a body may have by default. */
const MOST_BYTES = 900_000;
/** The service takes some thirty chunks a minute from one address: the rest waits as long as it says. */
const RETRIES = 20;

/** Starts any number of runs, in chunks. One that is refused does not stop the others. */
export function triggerBatchOf(core: ClientCore): TriggerBatchFn {
  return (async (job: AnyJob | string, items: readonly BatchItem<unknown>[], options: BatchOptions = {}) => {
    const path = `/v1/jobs/${encodeURIComponent(typeof job === "string" ? job : job.id)}/trigger/bulk`;
    const prepared = await Promise.all(items.map((item) => prepare(job, item)));
    const results: (BatchItemResult | undefined)[] = prepared.map(
      ({ refused }, index) => refused && { index, status: "failed", error: refused },
    );
    const batchIds: string[] = [];
    for (const chunk of chunksOf(prepared)) {
      const answer = await core.request<BulkTriggerResult>("POST", path, {
        body: { items: chunk.map(({ body }) => body) },
        // Each item has a key of its own, so a chunk that is sent twice starts nothing twice.
        idempotencyKey: crypto.randomUUID(),
        retries: RETRIES,
        signal: options.signal,
      });
      batchIds.push(answer.batch_id);
      for (const told of answer.results) {
        const index = chunk[told.index]?.index ?? -1;
        results[index] = present(core, index, told);
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
    if (chunk.length > 0 && (chunk.length === MOST_ITEMS || bytes + size > MOST_BYTES)) {
      yield chunk;
      chunk = [];
      bytes = 0;
    }
    chunk.push({ ...item, index });
    bytes += size;
  }
  if (chunk.length > 0) yield chunk;
}

function present(core: ClientCore, index: number, told: BulkTriggerResult["results"][number]): BatchItemResult {
  if (told.status !== "failed" && told.run_id !== null) {
    return { index, status: told.status, run: runHandle(core, told.run_id) };
  }
  const { code, message } = told.error ?? { code: "failed", message: "The service refused the item." };
  return { index, status: "failed", error: { code, message } };
}

function summary(batchIds: string[], results: BatchItemResult[]): BatchResult {
  const count = (status: BatchItemResult["status"]) => results.filter((each) => each.status === status).length;
  return { batchIds, results, created: count("created"), existing: count("existing"), failed: count("failed") };
}

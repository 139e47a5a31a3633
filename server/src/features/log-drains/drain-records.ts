import type { Ctx } from "../../platform/context.ts";
import type { AbortHandle } from "../../platform/outgoing/abort-handle.ts";
import type { ClaimedDrain, DrainCursor } from "./claim-drains.ts";
import { MAX_AGE_SECS, MAX_RECORDS, MAX_REFUSALS_PER_RECORD } from "./drain-rules.ts";
import { LOGS } from "./logs/logs.ts";
import { METRICS } from "./metrics/metrics.ts";
import { nextBatch } from "./next-batch.ts";
import { type DrainReceipt, sendRecords } from "./send-records.ts";
import {
  advanceCursor,
  recordDropped,
  recordEmpty,
  recordFailure,
  recordRefused,
  recordTaken,
  releaseClaim,
} from "./settle-drain.ts";
import type { Placed, Signal } from "./signal.ts";
import { TRACES } from "./traces/traces.ts";

/** Sends the unsent records of a claimed drain, until it has sent those that one read found last, or its receiver fails. */
export function drainRecords(ctx: Ctx, drain: ClaimedDrain, abortHandle: AbortHandle): Promise<void> {
  switch (drain.signal) {
    case "logs":
      return drainSignal(ctx, drain, LOGS, abortHandle);
    case "traces":
      return drainSignal(ctx, drain, TRACES, abortHandle);
    case "metrics":
      return drainSignal(ctx, drain, METRICS, abortHandle);
  }
}

type Draining<R extends Placed> = { drain: ClaimedDrain; signal: Signal<R> };

async function drainSignal<R extends Placed>(
  ctx: Ctx,
  claimed: ClaimedDrain,
  signal: Signal<R>,
  abortHandle: AbortHandle,
): Promise<void> {
  let drain = claimed;
  for (;;) {
    const read = await signal.read(ctx, drain);
    const dropped = await dropOld(ctx, { drain, signal }, read.records);
    if (dropped === "lost") return;
    if (dropped) {
      drain = dropped;
      continue;
    }
    if (read.records.length === 0 && drain.dropped_unreported === 0) {
      if (read.end?.is_all !== false || !(await advanceCursor(ctx, drain, read.end))) {
        await recordEmpty(ctx, drain, read.end ?? drain);
        return;
      }
      drain = { ...drain, ...read.end };
      continue;
    }
    const next = await sendAll(ctx, { drain, signal }, read.records, abortHandle);
    if (!next) return;
    // What was committed meanwhile is sent with the next pass: at once, each request would carry a few records.
    if (read.end?.is_all) {
      await recordEmpty(ctx, next, next);
      return;
    }
    drain = next;
  }
}

async function dropOld<R extends Placed>(
  ctx: Ctx,
  { drain, signal }: Draining<R>,
  [oldest]: R[],
): Promise<ClaimedDrain | "lost" | false> {
  if (!oldest || !signal.findOld || Date.parse(oldest.created_at) > ctx.watch.nowMs() - MAX_AGE_SECS * 1_000)
    return false;
  const old = await signal.findOld(ctx, drain);
  if (!old) return false;
  const unreported = signal.reportsDropped ? old.count : 0;
  if (!(await recordDropped(ctx, drain, { ...old, unreported }))) return "lost";
  return { ...drain, ...old.cursor, dropped_unreported: drain.dropped_unreported + unreported };
}

/** Sends in requests of limited size, each half as large as the one that was rejected. Undefined: stop for now. */
async function sendAll<R extends Placed>(
  ctx: Ctx,
  { drain: claimed, signal }: Draining<R>,
  records: readonly R[],
  abortHandle: AbortHandle,
) {
  let drain = claimed;
  let left = records;
  let max = MAX_RECORDS;
  do {
    const [batch, request] = nextBatch(left, max, {
      sizeOf: signal.sizeOf,
      format: (records) => signal.format(ctx, drain, records),
    });
    if (batch.length < left.length) max = batch.length;
    const receipt = await sendRecords(ctx, drain, request, abortHandle);
    if (receipt.kind === "unfit" && batch.length > 1) {
      max = Math.ceil(batch.length / 2);
      continue;
    }
    const next = await settle(ctx, drain, batch, receipt);
    if (!next) return undefined;
    drain = next;
    left = left.slice(batch.length);
  } while (left.length > 0);
  return drain;
}

/** Undefined: stop for now. */
async function settle(ctx: Ctx, drain: ClaimedDrain, batch: readonly Placed[], receipt: DrainReceipt) {
  const cursor = batch.length === 0 ? drain : cursorAfter(batch);
  if (receipt.kind === "stopped") {
    await releaseClaim(ctx, drain);
    return undefined;
  }
  if (receipt.kind === "taken") {
    const taken = { records: batch.length, status_code: receipt.status_code, reported: drain.dropped_unreported };
    const isMine = await recordTaken(ctx, drain, { cursor, ...taken });
    return isMine ? { ...drain, ...cursor, consecutive_failures: 0, dropped_unreported: 0 } : undefined;
  }
  const isSkipped = receipt.kind === "unfit" && drain.consecutive_failures + 1 >= MAX_REFUSALS_PER_RECORD;
  await (isSkipped ? recordRefused(ctx, drain, cursor) : recordFailure(ctx, drain, receipt));
  return undefined;
}

function cursorAfter(batch: readonly Placed[]): DrainCursor {
  const last = batch.at(-1);
  if (!last) throw new Error("the batch is empty");
  return { position: last.position, after_id: last.id };
}

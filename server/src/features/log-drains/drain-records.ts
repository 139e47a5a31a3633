import type { Ctx } from "../../platform/context.ts";
import type { AbortHandle } from "../../platform/outgoing/abort-handle.ts";
import type { ClaimedDrain, DrainCursor } from "./claim-drains.ts";
import { KEPT_SECS, MAX_BYTES, REFUSALS_OF_ONE } from "./drain-rules.ts";
import { findOldRecords } from "./drop-old-records.ts";
import { type Formatted, formatRecords } from "./format-records.ts";
import { ownRecord } from "./own-record.ts";
import { type LoggedRecord, type LogRecord, readRecords } from "./read-records.ts";
import { type DrainReceipt, sendRecords } from "./send-records.ts";
import {
  advanceCursor,
  noteDropped,
  noteEmpty,
  noteFailure,
  noteRefused,
  noteTaken,
  releaseClaim,
} from "./settle-drain.ts";

/** Sends the unsent records of a claimed drain, until none are left or its receiver fails. */
export async function drainRecords(ctx: Ctx, claimed: ClaimedDrain, abortHandle: AbortHandle): Promise<void> {
  let drain = claimed;
  for (;;) {
    const read = await readRecords(ctx, drain);
    const dropped = await dropOld(ctx, drain, read.records);
    if (dropped === "lost") return;
    if (dropped) {
      drain = dropped;
      continue;
    }
    if (read.records.length === 0 && drain.dropped_unreported === 0) {
      if (read.end?.is_all !== false || !(await advanceCursor(ctx, drain, read.end))) {
        await noteEmpty(ctx, drain, read.end ?? drain);
        return;
      }
      drain = { ...drain, ...read.end };
      continue;
    }
    const next = await sendAll(ctx, drain, read.records, abortHandle);
    if (!next) return;
    drain = next;
  }
}

async function dropOld(
  ctx: Ctx,
  drain: ClaimedDrain,
  [oldest]: LoggedRecord[],
): Promise<ClaimedDrain | "lost" | false> {
  if (!oldest || Date.parse(oldest.created_at) > ctx.watch.nowMs() - KEPT_SECS * 1_000) return false;
  const old = await findOldRecords(ctx, drain);
  if (!old) return false;
  if (!(await noteDropped(ctx, drain, old.cursor, old.count))) return "lost";
  return { ...drain, ...old.cursor, dropped_unreported: drain.dropped_unreported + old.count };
}

/** Sends in requests of limited size, each half as large as the one that was rejected. Undefined: stop for now. */
async function sendAll(ctx: Ctx, claimed: ClaimedDrain, records: readonly LoggedRecord[], abortHandle: AbortHandle) {
  let drain = claimed;
  let left = records;
  let max = records.length;
  do {
    const [batch, formatted] = nextBatch(ctx, drain, left, max);
    const receipt = await sendRecords(ctx, drain, formatted, abortHandle);
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

/** Dropped records are reported with the next ones, as a separate record before them. */
function nextBatch(
  ctx: Ctx,
  drain: ClaimedDrain,
  left: readonly LoggedRecord[],
  max: number,
): [LoggedRecord[], Formatted] {
  const notice = drain.dropped_unreported > 0 ? [droppedNotice(ctx, drain, left[0])] : [];
  let batch = left.slice(0, max);
  let formatted = formatRecords(drain.format, [...notice, ...batch]);
  while (batch.length > 1 && Buffer.byteLength(formatted.body) > MAX_BYTES) {
    batch = batch.slice(0, Math.ceil(batch.length / 2));
    formatted = formatRecords(drain.format, [...notice, ...batch]);
  }
  return [batch, formatted];
}

function droppedNotice(ctx: Ctx, { project_id, environment_id, dropped_unreported }: ClaimedDrain, next?: LogRecord) {
  const message = `${dropped_unreported} log records before this one were dropped: they had waited for more than an hour.`;
  const content = { level: "warn", message, fields: { dropped: dropped_unreported } } as const;
  return ownRecord(ctx, { project_id, environment_id, ...content, ...(next && { time: next.time }) });
}

/** Undefined: stop for now. */
async function settle(ctx: Ctx, drain: ClaimedDrain, batch: LoggedRecord[], receipt: DrainReceipt) {
  const cursor = batch.length === 0 ? drain : cursorAfter(batch);
  if (receipt.kind === "stopped") {
    await releaseClaim(ctx, drain);
    return undefined;
  }
  if (receipt.kind === "taken") {
    const taken = { records: batch.length, status_code: receipt.status_code, reported: drain.dropped_unreported };
    const isMine = await noteTaken(ctx, drain, { cursor, ...taken });
    return isMine ? { ...drain, ...cursor, consecutive_failures: 0, dropped_unreported: 0 } : undefined;
  }
  const isPassedOver = receipt.kind === "unfit" && drain.consecutive_failures + 1 >= REFUSALS_OF_ONE;
  await (isPassedOver ? noteRefused(ctx, drain, cursor) : noteFailure(ctx, drain, receipt));
  return undefined;
}

function cursorAfter(batch: readonly LoggedRecord[]): DrainCursor {
  const last = batch.at(-1);
  if (!last) throw new Error("the batch is empty");
  return { position: last.position, after_id: last.id };
}

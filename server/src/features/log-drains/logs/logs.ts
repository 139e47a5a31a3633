import type { Ctx } from "../../../platform/context.ts";
import type { ClaimedDrain } from "../claim-drains.ts";
import { findOldRecords, type Signal } from "../signal.ts";
import { formatRecords } from "./format-records.ts";
import { ownRecord } from "./own-record.ts";
import { type LoggedRecord, type LogRecord, readRecords, unsentLines } from "./read-records.ts";

/** The log lines of runs. */
export const LOGS: Signal<LoggedRecord> = {
  read: readRecords,
  findOld: (ctx, drain) => findOldRecords(ctx, unsentLines(drain)),
  format: (ctx, drain, records) => formatRecords(drain.format, [...droppedNotice(ctx, drain, records[0]), ...records]),
  reportsDropped: true,
};

/** Dropped records are reported with the next ones, as a separate record before them. */
function droppedNotice(ctx: Ctx, drain: ClaimedDrain, next: LogRecord | undefined): LogRecord[] {
  const { project_id, environment_id, dropped_unreported } = drain;
  if (dropped_unreported === 0) return [];
  const message = `${dropped_unreported} log records before this one were dropped: they had waited for more than an hour.`;
  const content = { level: "warn", message, fields: { dropped: dropped_unreported } } as const;
  return [ownRecord(ctx, { project_id, environment_id, ...content, ...(next && { time: next.time }) })];
}

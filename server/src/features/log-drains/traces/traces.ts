import { findOldRecords, type Signal } from "../signal.ts";
import { type EndedRecord, readEnded, unsentEnds } from "./read-ended.ts";
import { formatSpans, spansOf } from "./spans.ts";

/** Spans of runs with their attempts, and of workflow runs with their steps, sent when they have ended. */
export const TRACES: Signal<EndedRecord> = {
  read: readEnded,
  findOld: (ctx, drain) => findOldRecords(ctx, unsentEnds(drain)),
  format: (_ctx, { project_id }, records) => formatSpans(project_id, records.flatMap(spansOf)),
  reportsDropped: false,
};

import { findOldRecords, type Signal } from "../signal.ts";
import { unsentEnds } from "./read-ended.ts";
import { readTraces, type Trace } from "./read-traces.ts";
import { formatSpans } from "./unwritten-spans.ts";

/** Spans of runs with their attempts, and of workflow runs with their steps, sent when they have ended. */
export const TRACES: Signal<Trace> = {
  read: readTraces,
  findOld: (ctx, drain) => findOldRecords(ctx, unsentEnds(drain)),
  format: (_ctx, { project_id }, traces) =>
    formatSpans(
      project_id,
      traces.map(({ spans }) => spans),
    ),
  sizeOf: ({ spans }) => spans.bytes,
  reportsDropped: false,
};

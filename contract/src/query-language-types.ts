import type { RUN_STATUSES, TRIGGER_TYPES } from "./runs.ts";

/** What `q` can ask of a run. The query parameters of `GET /v1/runs` are read as the same conditions. */

export const WORD_KEYS = [
  "tag",
  "job",
  "version",
  "key",
  "by",
  "batch",
  "workflow",
  "parent",
  "replay",
  "schedule",
  "env",
] as const;

export const IS_VALUES = ["dead", "unhandled", "late", "retrying", "live", "ended", "replay", "child", "step"] as const;

export const OPERATORS = [">=", "<=", ">", "<", "="] as const;

type Negatable = { negated: boolean };
export type StatusCondition = Negatable & { key: "status"; values: (typeof RUN_STATUSES)[number][] };
export type TriggerCondition = Negatable & { key: "trigger"; values: (typeof TRIGGER_TYPES)[number][] };
/** Any of the values. */
export type WordCondition = Negatable & { key: (typeof WORD_KEYS)[number]; values: string[] };
/** The payload contains `value` under `path`. */
export type PayloadCondition = Negatable & { key: "payload"; path: string[]; value: unknown };
/** Durations in milliseconds. */
export type NumberCondition = Negatable & {
  key: "duration" | "attempts";
  operator: (typeof OPERATORS)[number];
  amount: number;
};
/** Created at that time or later, or before it. `ago_ms` is counted back from now. */
export type TimeCondition = { key: "since" | "until"; at: string } | { key: "since" | "until"; ago_ms: number };
/** Its code or message contains the text, or one of those in `or`. */
export type ErrorCondition = Negatable & { key: "error"; text: string; or?: string[] };
/** A run's id, or the same as an error with this text. */
export type TextCondition = Negatable & { key: "text"; text: string };
export type IsCondition = Negatable & { key: "is"; value: (typeof IS_VALUES)[number] };

export type RunCondition =
  | StatusCondition
  | TriggerCondition
  | WordCondition
  | PayloadCondition
  | NumberCondition
  | TimeCondition
  | ErrorCondition
  | TextCondition
  | IsCondition;

/** A part of the text that was asked: `text.slice(start, end)`. */
export type Span = { start: number; end: number };

export type QueryTerm = Span & { condition: RunCondition };

/** What is wrong with which part of the text. */
export type QueryFault = Span & { message: string };

export type ParsedQuery = { ok: true; terms: QueryTerm[] } | { ok: false; faults: QueryFault[] };

/** Thrown inside the parser and caught by it: nothing else leaves it. */
export class QueryError extends Error {
  readonly fault: QueryFault;

  constructor(message: string, { start, end }: Span) {
    super(message);
    this.fault = { message, start, end };
  }
}

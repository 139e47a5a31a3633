import type { RUN_STATUSES, TRIGGER_TYPES } from "../runs/runs.ts";

/** Conditions that `q` can express. The query parameters of `GET /v1/runs` are converted to the same conditions. */

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
/** Matches any of the values. */
export type WordCondition = Negatable & { key: (typeof WORD_KEYS)[number]; values: string[] };
/** The payload contains `value` under `path`. */
export type PayloadCondition = Negatable & { key: "payload"; path: string[]; value: unknown };
/** Durations are in milliseconds. */
export type NumberCondition = Negatable & {
  key: "duration" | "attempts";
  operator: (typeof OPERATORS)[number];
  amount: number;
};
/** Created at or after the time, or before it. `ago_ms` is relative to now. */
export type TimeCondition = { key: "since" | "until"; at: string } | { key: "since" | "until"; ago_ms: number };
/** The error's code or message contains `text` or one of the texts in `or`. */
export type ErrorCondition = Negatable & { key: "error"; text: string; or?: string[] };
/** Matches the run's id, or an error that contains the text. */
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

/** A part of the query: `text.slice(start, end)`. */
export type Span = { start: number; end: number };

export type QueryTerm = Span & { condition: RunCondition };

/** A problem with a part of the query. */
export type QueryIssue = Span & { message: string };

export type ParsedQuery = { ok: true; terms: QueryTerm[] } | { ok: false; issues: QueryIssue[] };

/** Thrown and caught inside the parser only. */
export class QueryError extends Error {
  readonly issue: QueryIssue;

  constructor(message: string, { start, end }: Span) {
    super(message);
    this.issue = { message, start, end };
  }
}

import { parseQuery } from "@millrace/contract/query-language";
import type { RunCondition } from "@millrace/contract/query-language-types";
import type { ListRunsQuery } from "@millrace/contract/runs";
import { ApiError } from "../../../platform/errors/errors.ts";
import { readContained } from "../../../platform/listing/read-contained.ts";
import { parseInstant } from "../../../platform/time/instant.ts";

type Filters = Omit<ListRunsQuery, "limit" | "cursor" | "order">;

/** The filters of a run list as conditions that must all hold: those of the parameters, then those of `q`. */
export function readConditions(filters: Filters): RunCondition[] {
  const { status, trigger_type, dead_letter, from, to, payload_contains, q } = filters;
  const conditions: (RunCondition | false)[] = [
    status !== undefined && { key: "status", negated: false, values: status.split(",") as never },
    trigger_type !== undefined && { key: "trigger", negated: false, values: [trigger_type] },
    ...wordsOf(filters),
    dead_letter !== undefined && { key: "is", negated: !dead_letter, value: "dead" },
    from !== undefined && { key: "since", at: parseInstant("query.from", from) },
    to !== undefined && { key: "until", at: parseInstant("query.to", to) },
    payload_contains !== undefined && {
      key: "payload",
      negated: false,
      path: [],
      value: readContained("query.payload_contains", payload_contains),
    },
  ];
  return [...conditions.filter((each) => each !== false), ...(q === undefined ? [] : readQuery(q))];
}

function wordsOf(filters: Filters): RunCondition[] {
  const words = [
    ["job", filters.job_id],
    ["batch", filters.batch_id],
    ["key", filters.concurrency_key],
    ["by", filters.created_by],
    ["parent", filters.parent_run_id],
    ["replay", filters.replay_of],
    ["schedule", filters.schedule_id],
    ["workflow", filters.workflow_run_id],
    ["env", filters.environment_id],
    ["tag", filters.tag],
  ] as const;
  return words.flatMap(([key, value]) => (value === undefined ? [] : { key, negated: false, values: [value] }));
}

/** Reports every issue of a query at once, each with the part of the text to underline. */
function readQuery(q: string): RunCondition[] {
  const parsed = parseQuery(q);
  if (parsed.ok) return parsed.terms.map((term) => term.condition);
  const errors = parsed.issues.map(({ start, end, message }) => {
    const value = q.slice(start, end);
    return { location: "query.q", message: `${JSON.stringify(value)} at ${start}–${end}: ${message}`, value };
  });
  throw new ApiError("validation_failed", `query.q: ${errors[0]?.message}`, { errors });
}

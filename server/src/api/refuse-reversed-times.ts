import type { ProblemError } from "@millrace/contract/problem";
import { refuseFaults } from "../platform/refuse-faults.ts";

type Times = { from?: unknown; to?: unknown };

/** `from` after `to` is a slip: an empty answer would be taken for the truth. Wherever a query or a filter takes both. */
export function refuseReversedTimes({ query, body }: { query: unknown; body: unknown }): void {
  const filter = (body as { filter?: unknown } | undefined)?.filter;
  refuseFaults([...reversed("query", query), ...reversed("body.filter", filter)]);
}

function reversed(at: string, given: unknown): ProblemError[] {
  if (typeof given !== "object" || given === null) return [];
  const { from, to } = given as Times;
  if (typeof from !== "string" || typeof to !== "string" || !(Date.parse(from) > Date.parse(to))) return [];
  return [
    { location: `${at}.from`, message: "is after `to`", value: from },
    { location: `${at}.to`, message: "is before `from`", value: to },
  ];
}

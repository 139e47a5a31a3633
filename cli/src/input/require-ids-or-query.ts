import { CommandError } from "../command-error.ts";

/** Requires either ids or a query: both would be ambiguous, neither would mean every run. */
export function requireIdsOrQuery(ids: readonly string[], query: string | undefined): void {
  if (ids.length > 0 && query !== undefined) throw new CommandError("usage", "Pass run ids or a query, not both.");
  if (ids.length === 0 && query === undefined) throw new CommandError("usage", "Pass run ids, or a query with -q.");
  if (query?.trim() === "") throw new CommandError("usage", "The query is empty and would match every run.");
}

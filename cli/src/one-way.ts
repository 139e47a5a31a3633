import { CommandError } from "./command-error.ts";

/** Ids or a query: both would be a guess, neither would be everything. */
export function oneWay(ids: readonly string[], query: string | undefined): void {
  if (ids.length > 0 && query !== undefined) throw new CommandError("usage", "Name ids or a query, not both.");
  if (ids.length === 0 && query === undefined) throw new CommandError("usage", "Name the runs, or say which with -q.");
  if (query?.trim() === "") throw new CommandError("usage", "The query is empty: that would be every run.");
}

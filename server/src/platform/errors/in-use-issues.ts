import type { ProblemError } from "@millrace/contract/problem";

/** An object that prevents the deletion of another. */
export type InUse = { id: string; name: string; is_readable: boolean };

/** Names what prevents a deletion, as far as the caller may read it, and counts the rest. */
export function inUseIssues<By extends InUse>(
  dependents: readonly By[],
  location: string,
  describe: (dependent: By) => string,
): ProblemError[] {
  const readable = dependents.filter(({ is_readable }) => is_readable);
  const issues: ProblemError[] = readable.map((each) => ({ location, message: describe(each), value: each.id }));
  const hidden = dependents.length - readable.length;
  if (hidden > 0) issues.push({ location, message: `objects you cannot read depend on it: ${hidden}`, value: null });
  return issues;
}

/** What breaks instances of the previous version, which run on the new schema during a rollout. */
const CONTRACTING: [RegExp, string][] = [
  [/\bdrop (table|column|view|type|function|schema)\b/, "removes what the previous version may use"],
  [/\brename\b/, "takes away a name that the previous version uses"],
  [/\balter column \S+ (set data )?type\b/, "changes the type of a column"],
  [/\balter column \S+ set not null\b/, "rejects rows that the previous version writes"],
  [
    /\badd column (?:if not exists )?\S+ (?![^,;]*\bdefault\b)[^,;]*\bnot null\b/,
    "requires a column that the previous version does not write",
  ],
  [
    /\badd constraint\b(?![^;]*\bnot valid\b)/,
    "checks all rows under a lock, and may reject what the previous version writes",
  ],
  [/\btruncate\b|\bdelete from\b/, "removes data"],
];

/** `-- contract: <why nothing uses it anymore>` in a file allows its contracting statements. */
const ALLOWED = /^-- contract: \S.*$/m;

/** Returns why a migration may not follow a release, or nothing. */
export function contractingStatements(text: string): string[] {
  if (ALLOWED.test(text)) return [];
  const statements = text
    .replaceAll(/--.*$/gm, "")
    .toLowerCase()
    .split(/;\s*(?:\n|$)/);
  return statements.flatMap((statement) => {
    const flat = statement.replaceAll(/\s+/g, " ").trim();
    // A table that is created here has no user yet.
    if (flat.startsWith("create table")) return [];
    return CONTRACTING.filter(([pattern]) => pattern.test(flat)).map(([, why]) => `${flat.slice(0, 80)}: ${why}`);
  });
}

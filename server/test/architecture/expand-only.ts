const OBJECTS = "materialized view|table|column|view|type|domain|function|schema";
/** Removing these takes nothing away from the previous version, or another rule is about it. */
const HARMLESS_DROPS = "constraint|index|default|not null|identity|expression|trigger";

/** What breaks instances of the previous version, which run on the new schema during a rollout. */
const CONTRACTING: [RegExp, string][] = [
  // The word COLUMN is optional.
  [new RegExp(`\\bdrop (${OBJECTS}|(?!(${HARMLESS_DROPS})\\b)\\w+)\\b`), "removes what the previous version may use"],
  [/\bdrop default\b/, "requires a value that the previous version does not write"],
  [/\brename\b/, "takes away a name that the previous version uses"],
  [/\balter (?:column )?\S+ (set data )?type\b/, "changes the type of a column"],
  [/\balter (?:column )?\S+ set not null\b/, "rejects rows that the previous version writes"],
  [
    /\badd (?:column )?(?:if not exists )?(?!constraint\b)\S+ (?!(?:[^,;(]|\([^)]*\))*?\b(?:default|generated)\b)(?:[^,;(]|\([^)]*\))*\bnot null\b/,
    "requires a column that the previous version does not write",
  ],
  [
    /\badd (constraint|check|unique|primary key|foreign key|exclude)\b(?![^;]*\bnot valid\b)/,
    "checks all rows under a lock, and may reject what the previous version writes",
  ],
  [/\bcreate unique index\b/, "may reject what the previous version writes"],
  [/\btruncate\b|\bdelete from\b/, "removes data"],
];

/** `-- contract: unused since 0.2.0` in a file allows its contracting statements. */
const ALLOWED = /^-- contract: (?:.*\bsince \d+\.\d+\.\d+\b|no released version\b)/m;

/** Returns why a migration may not follow a release, or nothing. */
export function contractingStatements(text: string): string[] {
  if (ALLOWED.test(text)) return [];
  const statements = text
    .replaceAll(/--.*$|'(?:[^']|'')*'/gm, (found) => (found.startsWith("'") ? "''" : ""))
    .toLowerCase()
    .split(/;\s*(?:\n|$)/)
    .map((statement) => statement.replaceAll(/\s+/g, " ").trim());
  // What is created here has no user yet.
  const tables = statements.flatMap((flat) => /^create table (\w+)/.exec(flat)?.[1] ?? []);
  const columns = statements.flatMap((flat) => [...flat.matchAll(/\badd column (\w+)/g)].map(([, name]) => name));
  const isNew = (flat: string) =>
    tables.some((table) => new RegExp(`^alter table ${table} |\\bon ${table}\\b`).test(flat)) ||
    columns.some((column) => new RegExp(`^create unique index .*\\b${column}\\b`).test(flat));
  return statements.flatMap((flat) => {
    if (flat.startsWith("create table") || isNew(flat)) return [];
    return CONTRACTING.filter(([pattern]) => pattern.test(flat)).map(([, why]) => `${flat.slice(0, 80)}: ${why}`);
  });
}

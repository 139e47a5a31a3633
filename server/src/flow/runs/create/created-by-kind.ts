import { type RawBuilder, sql } from "kysely";

const ID_LENGTH = 36;

/**
 * Who created a run, for cost groups: runs created by a run, a workflow run or an event are grouped by that kind, because
 * their ids are as many as runs. It compares length and prefix because a regular expression took 50 µs per run.
 */
export function createdByKind(created_by: RawBuilder<unknown>): RawBuilder<unknown> {
  const kinds = ["run", "workflow_run", "event"].map((kind) => {
    const length = kind.length + 1 + ID_LENGTH;
    return sql`when length(${created_by}) = ${sql.lit(length)} and starts_with(${created_by}, ${sql.lit(`${kind}:`)}) then ${sql.lit(kind)}`;
  });
  return sql`case ${sql.join(kinds, sql` `)} else ${created_by} end`;
}

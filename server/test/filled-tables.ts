import { runSql, type TestConnection } from "./database.ts";

/** The tables that have rows, and whether every follower has come past the last row of its log. */
export type Glance = { filled: ReadonlySet<string>; areLogsRead: boolean };

let glance: { name: string; text: string } | undefined;

/**
 * One look at the whole database. Kept by its connection: the plan of so many tables takes longer than the look. It
 * does without `clock()`, since each change of that would have it planned anew.
 */
export async function glanceAt(connection: TestConnection): Promise<Glance> {
  glance ??= { name: "glance", text: statementFor(await listTables(connection)) };
  const [row] = await runSql<{ filled: string[]; read: boolean | null }>(connection, glance);
  if (!row) throw new Error("a statement without tables answers one row");
  return { filled: new Set(row.filled), areLogsRead: row.read === true };
}

let tables: string[] | undefined;

/** Those of the schema, which all test databases share; partitions are looked at through their table. */
export async function listTables(connection: TestConnection): Promise<string[]> {
  tables ??= (
    await runSql<{ name: string }>(
      connection,
      `select relname as name from pg_class
       where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition order by relname`,
    )
  ).map(({ name }) => name);
  return tables;
}

/** Which log a place is in. Those of duties that count anew are times, not places. */
const PLACES: Record<string, string | undefined> = {
  "settle-costs": "run_transitions",
  "file-runs": "run_transitions",
  "expand-webhooks/runs": "run_transitions",
  "roll-up-runs": "run_transitions",
  "roll-up-costs/dispatches": "run_transitions",
  "expand-webhooks/workflow-runs": "workflow_decisions",
  "roll-up-workflows": "workflow_decisions",
  "roll-up-costs/usage": "run_usage",
  "recount-events": undefined,
  "recount-webhooks": undefined,
};

function statementFor(names: readonly string[]): string {
  const each = names.map((name) => `case when exists (select 1 from ${name}) then '${name}' end`);
  const ends = Object.entries(PLACES).map(
    ([follower, log]) => `when '${follower}' then ${log ? `(select max(xid) from ${log})` : "null"}`,
  );
  // A follower that is not known here is taken to follow all of them.
  const all = "greatest((select max(xid) from run_transitions), (select max(xid) from workflow_decisions))";
  return `
    select array_remove(array[${each.join(", ")}], null) as filled,
      (select bool_and(after_xid >= coalesce(case follower ${ends.join(" ")} else ${all} end, '0')) from log_cursors) as read`;
}

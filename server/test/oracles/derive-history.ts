import { runSql, type TestConnection } from "../world/database.ts";

/** Seeded runs store all their transitions. Makes completed ones like those that the service creates: derived. */
export async function deriveHistory(connection: TestConnection, project_id: string): Promise<number> {
  const rows = await runSql(
    connection,
    `with simple as (
       update runs r set derived_transitions = 3, end_http_status = 200, end_duration_ms = 1
       where r.project_id = $1 and r.status = 'completed' and r.attempt = 1 and (
         select array_agg(t.cause order by t.ordinal) from run_history t
         where t.project_id = r.project_id and t.run_id = r.id) = '{created,claimed,completed}'
       returning r.project_id, r.id
     )
     delete from run_transitions t using simple s where t.project_id = s.project_id and t.run_id = s.id
     returning 1`,
    [project_id],
  );
  return rows.length;
}

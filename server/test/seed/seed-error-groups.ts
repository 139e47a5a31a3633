import { runSql, type TestConnection } from "../world/database.ts";

type Place = { project_id: string; job_id: string; environment_id: string };

/** Groups of failures without any failure: a job has at most 500 of them. */
export async function seedErrorGroups(connection: TestConnection, place: Place, count: number): Promise<void> {
  await runSql(
    connection,
    `insert into error_groups (
       project_id, job_id, environment_id, fingerprint, message, run_ids, first_seen_at, last_seen_at)
     select $1, $2, $3, gen_random_uuid(), 'seeded ' || n, '{}', (select clock()), (select clock())
     from generate_series(1, $4::int) n`,
    [place.project_id, place.job_id, place.environment_id, count],
  );
}

import { newId } from "../../src/platform/ids.ts";
import { runSql, type TestConnection } from "../world/database.ts";
import { seedJob } from "./seed-run.ts";

type SeedSchedule = Partial<{
  job_id: string;
  cron: string;
  timezone: string;
  is_default: boolean;
  next_fire_at: string;
}>;

/** Inserts a schedule directly; without `next_fire_at` it is not due before tomorrow. */
export async function seedSchedule(connection: TestConnection, project_id: string, schedule: SeedSchedule = {}) {
  const id = newId();
  const job_id = schedule.job_id ?? (await seedJob(connection, project_id)).id;
  await runSql(
    connection,
    `insert into schedules (project_id, id, job_id, is_default, cron, timezone, overlap_policy, next_fire_at, created_by,
       created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, 'allow', coalesce($7, clock() + interval '1 day'), 'seed', clock(), clock())`,
    [
      project_id,
      id,
      job_id,
      schedule.is_default ?? false,
      schedule.cron ?? "0 0 * * *",
      schedule.timezone ?? "UTC",
      schedule.next_fire_at ?? null,
    ],
  );
  return { id, job_id };
}

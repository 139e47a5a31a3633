import { runSql } from "../world/database.ts";
import type { TestProject, World } from "../world/world.ts";
import { type SeedJob, seedJob } from "./seed-run.ts";

type FireRow = { scheduled_for: Date; outcome: string; run_id: string | null; reason: string | null };

/** A project with schedules, and the outcome of their fire times. */
export async function scheduleBench(world: World) {
  const project: TestProject = await world.project();
  const { connection } = world;
  return {
    project,
    tick: () => world.tick("fire-schedules"),
    schedule: async (fields: object = {}, job: SeedJob = {}) => {
      const { id: job_id } = await seedJob(connection, project.id, job);
      const created = await project.api.post("/v1/schedules", { job_id, cron: "* * * * *", ...fields });
      if (created.status !== 201) throw new Error(created.text);
      return { id: created.body.id as string, job_id };
    },
    shown: async (id: string) => (await project.api.get(`/v1/schedules/${id}`)).body,
    runsOf: (id: string) =>
      runSql<{ id: string; status: string }>(connection, "select * from runs where schedule_id = $1 order by id", [id]),
    firesOf: async (id: string) => {
      const rows = await runSql<FireRow>(
        connection,
        `select scheduled_for, outcome, run_id, reason from schedule_fires where schedule_id = $1 order by scheduled_for`,
        [id],
      );
      return rows.map(({ scheduled_for, ...rest }) => ({ at: scheduled_for.toISOString(), ...rest }));
    },
  };
}

export type ScheduleBench = Awaited<ReturnType<typeof scheduleBench>>;

/** Deletes the schedules of earlier tests, which would become due as the clock advances. */
export const deleteSchedules = (world: World) => runSql(world.connection, "delete from schedules");

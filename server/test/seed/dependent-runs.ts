import { expect } from "vitest";
import { runSql } from "../world/database.ts";
import type { TestJob } from "../world/queue-world.ts";
import type { TestProject, World } from "../world/world.ts";

/** Helpers shared by tests of run dependencies. */
export function dependentRuns(world: World, project: TestProject, job: TestJob) {
  const ask = (of: TestJob, body: object = {}) => project.api.post(`${of.path}/trigger`, body);

  async function trigger(of: TestJob = job, body: object = {}): Promise<string> {
    const response = await ask(of, body);
    expect(response.status).toBe(201);
    return response.body.id;
  }

  async function queued(run_id: string) {
    const [row] = await runSql<{ blocked_on: string | null; rank_at: Date; interleave_at: Date | null }>(
      world.connection,
      "select blocked_on, rank_at, interleave_at from run_queue where run_id = $1",
      [run_id],
    );
    return row;
  }

  return {
    ask,
    trigger,
    queued,
    blockedOn: async (run_id: string) => (await queued(run_id))?.blocked_on,
    runOf: async (id: string) => (await project.api.get(`/v1/runs/${id}`)).body,
    outbox: () => world.tick("run-outbox"),
    entriesLeft: () =>
      runSql<{ kind: string }>(world.connection, "select kind from outbox where project_id = $1", [project.id]),
  };
}

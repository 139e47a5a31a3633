import { signRunToken } from "../../src/platform/access/credentials/run-token.ts";
import { type Client, makeClient } from "../world/client.ts";
import { runSql } from "../world/database.ts";
import type { World } from "../world/world.ts";
import { type SeedRun, seedRun } from "./seed-run.ts";

export type RunningRun = {
  run_id: string;
  project_id: string;
  job_id: string;
  attempt: number;
  lease_token: string;
  deadline: string;
  token: string;
  /** Relative to its own SDK path: `sdk.post("/heartbeat")`. */
  sdk: Pick<Client, "get" | "post">;
};

type Held = { accepted?: boolean; timeout_secs?: number; heartbeat_timeout_secs?: number };

/** A run under a lease, as after a claim, or accepted, as after a 202. Includes the token of its dispatch. */
export async function runningRun(
  world: World,
  project: { id: string },
  { accepted = false, timeout_secs = 300, heartbeat_timeout_secs = 60, ...run }: Held & SeedRun = {},
): Promise<RunningRun> {
  const run_id = await seedRun(world.connection, project.id, { ...run, status: "running" });
  await runSql(
    world.connection,
    `update run_queue set deadline = clock() + $2 * interval '1 second', heartbeat_timeout_secs = $3,
       accepted_at = case when $4 then clock() end,
       lease_until = clock() + case when $4 then $3 else 30 end * interval '1 second'
     where run_id = $1`,
    [run_id, timeout_secs, heartbeat_timeout_secs, accepted],
  );
  await encryptHeaders(world, project.id);
  return holderOf(world, run_id);
}

/** Seeded jobs have no headers. Readers decrypt the column, so it must be encrypted as for a real job. */
export async function encryptHeaders(world: World, project_id: string): Promise<void> {
  const bare = await runSql<{ id: string }>(
    world.connection,
    "select id from job_versions where project_id = $1 and headers = ''",
    [project_id],
  );
  for (const { id } of bare) {
    const encrypted = await world.ctx.encryption.encryptText(
      world.ctx.db,
      project_id,
      `${project_id}/${id}/headers`,
      "{}",
    );
    await runSql(world.connection, "update job_versions set headers = $2 where id = $1", [id, encrypted]);
  }
}

/** The current lease of a run, with a run token for it. */
export async function holderOf(world: World, run_id: string): Promise<RunningRun> {
  const [row] = await runSql<Omit<RunningRun, "token" | "sdk" | "deadline"> & { deadline: Date }>(
    world.connection,
    `select q.run_id, q.project_id, q.job_id, r.attempt, q.lease_token, q.deadline
     from run_queue q join runs r on r.id = q.run_id where q.run_id = $1`,
    [run_id],
  );
  if (!row) throw new Error("the run has no lease");
  const held = { ...row, deadline: row.deadline.toISOString() };
  const token = signRunToken(world.ctx, held);
  return { ...held, token, sdk: sdkOf(world, run_id, token) };
}

export function sdkOf(world: World, run_id: string, token: string): RunningRun["sdk"] {
  const client = makeClient(world.url, { authorization: `Bearer ${token}` });
  const at = (path: string) => `/sdk/v1/runs/${run_id}${path}`;
  return {
    get: (path, options) => client.get(at(path), options),
    post: (path, body = {}, options) => client.post(at(path), body, options),
  };
}

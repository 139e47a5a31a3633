import { beforeAll, expect, it } from "vitest";
import { seededRandom } from "../../../../test/oracles/sweep-line.ts";
import { runSql } from "../../../../test/world/database.ts";
import { claimSome, makeJob, type TestJob } from "../../../../test/world/queue-world.ts";
import { sizeOf } from "../../../../test/world/size.ts";
import { untilUp } from "../../../../test/world/until-up.ts";
import { makeWorld, type TestProject, type World } from "../../../../test/world/world.ts";
import { blockLane } from "../../../flow/runs/dispatch/circuits.ts";

let world: World;
let project: TestProject;
beforeAll(async () => {
  world = await makeWorld();
  await untilUp([world]);
  project = await world.project();
});

const STATES = sizeOf(20, 400);

it("the list of blockers is empty exactly when the claim takes the run", async () => {
  const random = seededRandom("states of runs");
  const chance = (share: number) => random() < share;
  let taken = 0;
  for (let nth = 0; nth < STATES; nth++) {
    await world.tick("register-instance");
    const { job, run_id, state } = await randomState(chance);
    const { body } = await project.api.get(`/v1/runs/${run_id}/explain`);
    const isTaken = await ask(job, run_id);
    expect(body.blockers.length === 0, `${JSON.stringify(state)}: ${JSON.stringify(body.blockers)}`).toBe(isTaken);
    if (isTaken) taken++;
  }
  // Both outcomes must occur, or the test proves nothing.
  expect(taken).toBeGreaterThan(STATES / 20);
  expect(taken).toBeLessThan(STATES - STATES / 20);
}, 120_000);

/** Claims like the dispatcher: claimable runs under an open circuit are blocked, all others claimed. */
async function ask(job: TestJob, run_id: string): Promise<boolean> {
  const open = await runSql(world.connection, "select 1 from circuits where host = $1 and status = 'open'", [job.host]);
  if (open.length > 0) await blockLane(world.ctx, job);
  return (await claimSome(world.ctx, job, 100)).some((run) => run.run_id === run_id);
}

/** Any state that the tables can hold for a run that has not started, even if the code would never write it. */
async function randomState(chance: (share: number) => boolean) {
  const limits = {
    ...(chance(0.3) && { max_concurrency: 2 }),
    ...(chance(0.3) && { max_concurrency_per_key: 1 }),
    ...(chance(0.3) && { rate_limit_max: 2, rate_limit_window_secs: 60 }),
    ...(chance(0.2) && { rate_limit_keys: [{ name: "per", key: "{{payload.user}}", max: 1, window_secs: 60 }] }),
  };
  const job = await makeJob(project, limits);
  const body = { payload: { user: "u" }, ...(chance(0.5) && { concurrency_key: "k" }) };
  const run_id = (await project.api.post(`${job.path}/trigger`, body)).body.id as string;
  const reasons = ["not_due", `key:${job.id}:k`, `job:${job.id}`, `rate:${job.id}::`, `rate:${job.id}:per:u`];
  const others = [`paused_job:${job.id}`, "dependency", "budget", `circuit:${job.host}`];
  const blocked_on = chance(0.3) ? ([...reasons, ...others].find(() => chance(0.15)) ?? null) : null;
  const state = {
    limits,
    body,
    blocked_on,
    is_paused: chance(0.15),
    is_run_paused: chance(0.1),
    circuit: chance(0.1),
    later: blocked_on !== null && chance(0.3),
    actives: [`key:${job.id}:k`, `job:${job.id}`].filter(() => chance(0.3)),
    windows: [`rate:${job.id}::`, `rate:${job.id}:per:u`].filter(() => chance(0.3)),
  };
  await write(job, run_id, state);
  return { job, run_id, state };
}

type RandomState = Awaited<ReturnType<typeof randomState>>["state"];

async function write(job: TestJob, run_id: string, state: RandomState): Promise<void> {
  const { connection } = world;
  if (state.is_paused) await runSql(connection, "update jobs set paused_at = clock() where id = $1", [job.id]);
  await runSql(
    connection,
    "update run_queue set blocked_on = $2, run_at = run_at + case when $3 then interval '1 h' else interval '0' end where run_id = $1",
    [run_id, state.blocked_on, state.later],
  );
  for (const key of state.actives) {
    const insert = "insert into concurrency_counters (project_id, key, active) values ($1, $2, 2)";
    await runSql(connection, insert, [job.project_id, key]);
  }
  for (const key of state.windows) {
    await runSql(
      connection,
      `insert into rate_windows (project_id, key, job_id, window_secs, starts, last_slot, updated_at)
       values ($1, $2, $3, 60, array_fill(0, array[60]) || array[2], floor(extract(epoch from clock()))::bigint, clock())`,
      [job.project_id, key, job.id],
    );
  }
  if (state.circuit) {
    await runSql(
      connection,
      `insert into circuits (project_id, host, status, probe_at, opened_at, reason, updated_at)
       values ($1, $2, 'open', clock(), clock(), 'It fails.', clock())`,
      [job.project_id, job.host],
    );
  }
  if (state.is_run_paused) await project.api.post(`/v1/runs/${run_id}/pause`);
}

import pg from "pg";
import { beforeAll, describe, expect, it } from "vitest";
import { holderOf, type RunningRun, runningRun, sdkOf } from "../../../../test/seed/running-run.ts";
import { runSql } from "../../../../test/world/database.ts";
import { makeWorld, type TestProject, type World } from "../../../../test/world/world.ts";
import { signRunToken } from "../../../platform/access/credentials/run-token.ts";
import { newId } from "../../../platform/ids.ts";

let world: World;
let project: TestProject;
beforeAll(async () => {
  world = await makeWorld();
  project = await world.project();
});

/** The calls of a running job, each with its minimal body. */
const CALLS: [string, object][] = [
  ["/log", { message: "x" }],
  ["/checkpoint", { state: 1 }],
  ["/progress", { percent: 1 }],
  ["/usage", { cost_microusd: 1 }],
  ["/tool-call", { name: "x" }],
  ["/output", { name: "x", value: 1 }],
  ["/metadata", { tags: { a: "b" } }],
  ["/complete", {}],
  ["/fail", { error: { message: "x" } }],
  ["/spawn", { job_id: "nothing" }],
  ["/wait-for-event", { event_key: "fenced" }],
  ["/sleep", { secs: 5 }],
];

async function everyCall({ sdk }: Pick<RunningRun, "sdk">): Promise<string[]> {
  const responses = [await sdk.get(""), await sdk.post("/heartbeat")];
  for (const [path, body] of CALLS) {
    const sent = path === "/spawn" ? { job_id: await anyJob() } : body;
    responses.push(await sdk.post(path, sent));
  }
  return [...new Set(responses.map(({ status, body }) => `${status} ${body.code ?? ""}`))];
}

async function anyJob(): Promise<string> {
  const [job] = await runSql<{ id: string }>(world.connection, "select id from jobs where project_id = $1 limit 1", [
    project.id,
  ]);
  return job?.id ?? "";
}

async function tracesOf(run_id: string): Promise<number> {
  const [row] = await runSql<{ traces: string }>(
    world.connection,
    `select (select count(*) from run_logs where run_id = $1) + (select count(*) from run_checkpoints where run_id = $1)
       + (select count(*) from run_usage where run_id = $1) + (select count(*) from run_tool_calls where run_id = $1)
       + (select count(*) from run_outputs where run_id = $1)
       + (select count(*) from runs where parent_run_id = $1) as traces`,
    [run_id],
  );
  return Number(row?.traces);
}

const set = (statement: string, run_id: string) => runSql(world.connection, statement, [run_id]);
const leaseOf = async (run_id: string) => {
  const [row] = await runSql<{ lease_until: Date }>(
    world.connection,
    "select lease_until from run_queue where run_id = $1",
    [run_id],
  );
  return row?.lease_until.toISOString();
};

describe("the fence", () => {
  it("A4 returns 409 for every call of an older attempt, and stores nothing of it", async () => {
    const old = await runningRun(world, project);
    await set("update runs set attempt = attempt + 1 where id = $1", old.run_id);
    await runSql(world.connection, "update run_queue set lease_token = $2 where run_id = $1", [old.run_id, newId()]);
    expect(await everyCall(old)).toEqual(["409 stale_attempt"]);
    expect(await tracesOf(old.run_id)).toBe(0);
    expect((await (await holderOf(world, old.run_id)).sdk.get("")).status).toBe(200);
  });

  it("A4 returns 409 for an attempt of the same number under another lease", async () => {
    const old = await runningRun(world, project);
    await runSql(world.connection, "update run_queue set lease_token = $2 where run_id = $1", [old.run_id, newId()]);
    expect(await everyCall(old)).toEqual(["409 stale_attempt"]);
    expect(await tracesOf(old.run_id)).toBe(0);
  });

  it("A4 returns 409 by the attempt number alone, under the very same lease", async () => {
    const old = await runningRun(world, project);
    await set("update runs set attempt = attempt + 1 where id = $1", old.run_id);
    expect(await everyCall(old)).toEqual(["409 stale_attempt"]);
    expect(await tracesOf(old.run_id)).toBe(0);
  });

  it("A4 returns 410 by the status alone, even if a lease was left behind", async () => {
    const run = await runningRun(world, project);
    await set(
      "update runs set prev_status = status, status = 'failed', transition_count = transition_count + 1, finished_at = clock() where id = $1",
      run.run_id,
    );
    expect(await everyCall(run)).toEqual(["410 run_already_ended"]);
    expect(await tracesOf(run.run_id)).toBe(0);
  });

  it("A4 returns 409 when the run is queued again", async () => {
    const old = await runningRun(world, project);
    await set(
      "update runs set prev_status = status, status = 'pending', transition_count = transition_count + 1 where id = $1",
      old.run_id,
    );
    await set("update run_queue set lease_until = null, lease_token = null where run_id = $1", old.run_id);
    expect(await everyCall(old)).toEqual(["409 stale_attempt"]);
  });

  it.each(["completed", "failed", "timed_out"])("A4 returns 410 for every call when the run is %s", async (status) => {
    const run = await runningRun(world, project);
    await runSql(
      world.connection,
      "update runs set prev_status = status, status = $2, transition_count = transition_count + 1, finished_at = clock() where id = $1",
      [run.run_id, status],
    );
    await set("delete from run_queue where run_id = $1", run.run_id);
    expect(await everyCall(run)).toEqual(["410 run_already_ended"]);
    expect(await tracesOf(run.run_id)).toBe(0);
  });

  it("A4 returns 404 when the run is gone", async () => {
    const run = await runningRun(world, project);
    await set("delete from run_queue where run_id = $1", run.run_id);
    await set("delete from runs where id = $1", run.run_id);
    expect((await run.sdk.post("/log", { message: "x" })).status).toBe(404);
  });

  it("A4 checks the project of a token: the same run id under another project gives no access", async () => {
    const run = await runningRun(world, project);
    const token = signRunToken(world.ctx, { ...run, project_id: (await world.project()).id });
    expect((await sdkOf(world, run.run_id, token).post("/log", { message: "x" })).status).toBe(404);
  });

  it("R14 accepts nothing after a cancel, however many calls race with it", async () => {
    const run = await runningRun(world, project);
    const client = new pg.Client(world.connection);
    await client.connect();
    let stored = -1;
    const cancel = async () => {
      await client.query("begin");
      await client.query("select 1 from run_queue where run_id = $1 for update", [run.run_id]);
      // Read under the lock: anything accepted later than this has passed the fence.
      const { rows } = await client.query("select count(*)::int as stored from run_logs where run_id = $1", [
        run.run_id,
      ]);
      stored = rows[0].stored;
      await client.query("delete from run_queue where run_id = $1", [run.run_id]);
      await client.query(
        "update runs set prev_status = status, status = 'canceled', transition_count = transition_count + 1, finished_at = clock() where id = $1",
        [run.run_id],
      );
      await client.query("commit");
    };
    const calls = Array.from({ length: 40 }, async (_, index) => {
      if (index === 12) await cancel();
      return run.sdk.post("/log", { message: `${index}` });
    });
    const responses = await Promise.all(calls);
    await client.end();
    const accepted = responses.filter(({ status }) => status === 200).length;
    expect([accepted, await tracesOf(run.run_id)]).toEqual([stored, stored]);
    expect(responses.filter(({ status }) => status === 410)).toHaveLength(40 - accepted);
    expect((await run.sdk.post("/log", { message: "after" })).body.code).toBe("run_already_ended");
  });
});

describe("the lease of an accepted run", () => {
  beforeAll(() => world.clock.set("2031-01-01T00:00:00Z"));

  it("R14 is kept by a heartbeat every 45 s when the timeout is 60 s", async () => {
    const { run_id, sdk } = await runningRun(world, project, { accepted: true, timeout_secs: 3_600 });
    for (let beat = 0; beat < 4; beat++) {
      await world.clock.pass("45s");
      const now = Date.parse(await world.clock.now());
      expect(Date.parse((await leaseOf(run_id)) ?? "")).toBeGreaterThan(now);
      expect((await sdk.post("/heartbeat")).status).toBe(200);
      expect(Date.parse((await leaseOf(run_id)) ?? "")).toBe(now + 60_000);
    }
  });

  it("R14 never exceeds the deadline", async () => {
    const run = await runningRun(world, project, { accepted: true, timeout_secs: 100 });
    await world.clock.pass("50s");
    await run.sdk.post("/heartbeat");
    expect(await leaseOf(run.run_id)).toBe(run.deadline);
  });

  it.each(CALLS.filter(([path]) => !["/complete", "/fail", "/spawn", "/wait-for-event", "/sleep"].includes(path)))(
    "R14 is extended by %s too",
    async (path, body) => {
      const { run_id, sdk } = await runningRun(world, project, { accepted: true });
      const before = await leaseOf(run_id);
      await world.clock.pass("10s");
      expect((await sdk.post(path, body)).status).toBe(200);
      expect(Date.parse((await leaseOf(run_id)) ?? "") - Date.parse(before ?? "")).toBe(10_000);
    },
  );

  it("R14 is renewed by the dispatcher, not by heartbeats, if the run was not accepted", async () => {
    const { run_id, sdk } = await runningRun(world, project);
    const before = await leaseOf(run_id);
    await world.clock.pass("10s");
    expect((await sdk.post("/heartbeat")).status).toBe(200);
    expect(await leaseOf(run_id)).toBe(before);
  });

  it("R14 is extended by each of many concurrent heartbeats", async () => {
    const { sdk } = await runningRun(world, project, { accepted: true });
    const responses = await Promise.all(Array.from({ length: 15 }, () => sdk.post("/heartbeat")));
    expect(responses.filter(({ status }) => status !== 200)).toEqual([]);
  });
});

import { beforeAll, describe, expect, it } from "vitest";
import { encryptHeaders, holderOf, type RunningRun, runningRun } from "../../../test/seed/running-run.ts";
import { seedJob } from "../../../test/seed/seed-run.ts";
import { runNow, transitionsOf } from "../../../test/seed/waiting-run.ts";
import { runSql } from "../../../test/world/database.ts";
import { makeJob } from "../../../test/world/queue-world.ts";
import { makeWorld, type TestProject, type World } from "../../../test/world/world.ts";

let world: World;
let project: TestProject;
let job_id: string;
beforeAll(async () => {
  world = await makeWorld();
  await world.clock.set("2030-01-01T00:00:00Z");
  project = await world.project();
  job_id = (await seedJob(world.connection, project.id, { slug: "child" })).id;
});

const triggersOf = (run_id: string) =>
  runSql<{ id: string; status: string; payload: object; child_run_id: string; wait_kind: string }>(
    world.connection,
    "select * from event_triggers where job_run_id = $1 order by ordinal",
    [run_id],
  );

/** A parent that waits for a child, and the child with a lease, so that it can end like a job. */
async function awaiting(fields: object = {}): Promise<{ parent: RunningRun; child_id: string }> {
  const parent = await runningRun(world, project);
  const { status, text, body } = await parent.sdk.post("/spawn", { job_id, wait: true, ...fields });
  if (status !== 201) throw new Error(text);
  return { parent, child_id: body.id };
}

/** Ends a run as its endpoint's response would. */
async function end(run_id: string, path: string, body: object): Promise<void> {
  await runSql(
    world.connection,
    "update runs set prev_status = 'pending', status = 'running', transition_count = transition_count + 1, attempt = attempt + 1 where id = $1",
    [run_id],
  );
  await runSql(
    world.connection,
    `insert into run_transitions (project_id, run_id, ordinal, from_status, to_status, cause, attempt, created_at)
     select project_id, id, transition_count, 'pending', 'running', 'claimed', attempt, clock() from runs where id = $1`,
    [run_id],
  );
  await runSql(
    world.connection,
    `update run_queue set lease_until = clock() + interval '30 s', lease_token = gen_random_uuid(),
       deadline = clock() + interval '1 h' where run_id = $1`,
    [run_id],
  );
  await encryptHeaders(world, project.id);
  const response = await (await holderOf(world, run_id)).sdk.post(path, body);
  if (response.status !== 200) throw new Error(response.text);
}

describe("spawning a child and waiting for it", () => {
  it("R14 201 with the child; the parent waits without a lease until the child has ended", async () => {
    const { parent, child_id } = await awaiting({ payload: { a: 1 } });
    expect(await runNow(world.connection, parent.run_id)).toMatchObject({
      status: "waiting",
      is_queued: false,
      waits: 1,
    });
    expect(await runNow(world.connection, child_id)).toMatchObject({ status: "pending", is_queued: true });
    expect(await triggersOf(parent.run_id)).toMatchObject([
      {
        status: "waiting",
        wait_kind: "child",
        trigger_type: "event",
        child_run_id: child_id,
        timeout_secs: 31_536_000,
      },
    ]);
  });

  it("R14 a child that completes resumes its parent with its output, through the outbox", async () => {
    const { parent, child_id } = await awaiting();
    await end(child_id, "/complete", { result: { total: 3 } });
    expect((await runNow(world.connection, parent.run_id)).status).toBe("waiting");
    await world.tick("run-outbox");
    const payload = { ok: true, status: "completed", output: { total: 3 } };
    expect(await runNow(world.connection, parent.run_id)).toMatchObject({
      status: "pending",
      checkpoint: payload,
      is_queued: true,
    });
    expect(await triggersOf(parent.run_id)).toMatchObject([
      { status: "received", payload, sent_by: `run:${child_id}` },
    ]);
    expect((await transitionsOf(world.connection, parent.run_id)).at(-1)).toBe("waiting>pending resumed");
  });

  it("R14 a child that fails resumes its parent with its error", async () => {
    const { parent, child_id } = await awaiting();
    await end(child_id, "/fail", { error: { code: "broken", message: "No." }, retryable: false });
    await world.tick("run-outbox");
    const payload = { ok: false, status: "failed", error: { code: "broken", message: "No." } };
    expect((await runNow(world.connection, parent.run_id)).checkpoint).toEqual(payload);
  });

  it("R14 a child that is canceled, expires or times out resumes its parent too", async () => {
    const canceled = await awaiting();
    await project.api.post(`/v1/runs/${canceled.child_id}/cancel`);
    const expired = await awaiting();
    await runSql(world.connection, "update run_queue set expires_at = clock() where run_id = $1", [expired.child_id]);
    await world.tick("expire-runs");
    const late = await awaiting();
    const waiting = await runningRun(world, project);
    await runSql(
      world.connection,
      "update runs set awaited_by = (select id from event_triggers where child_run_id = $1) where id = $2",
      [late.child_id, waiting.run_id],
    );
    await runSql(world.connection, "update event_triggers set child_run_id = $2 where child_run_id = $1", [
      late.child_id,
      waiting.run_id,
    ]);
    await waiting.sdk.post("/wait-for-event", { event_key: "never", timeout_secs: 1 });
    await world.clock.pass("1s");
    await world.tick("resolve-due-triggers");
    await world.tick("run-outbox");
    const parents = [canceled.parent, expired.parent, late.parent].map(({ run_id }) =>
      runNow(world.connection, run_id),
    );
    expect((await Promise.all(parents)).map(({ status, checkpoint }) => ({ status, checkpoint }))).toMatchObject([
      { status: "pending", checkpoint: { ok: false, status: "canceled", error: { code: "canceled" } } },
      { status: "pending", checkpoint: { ok: false, status: "canceled", error: { code: "expired" } } },
      { status: "pending", checkpoint: { ok: false, status: "timed_out", error: { code: "event_timeout" } } },
    ]);
  });

  it("R14 past wait_timeout_secs the parent times out; the child continues", async () => {
    const { parent, child_id } = await awaiting({ wait_timeout_secs: 30 });
    await world.clock.pass("30s");
    await world.tick("resolve-due-triggers");
    expect(await runNow(world.connection, parent.run_id)).toMatchObject({
      status: "timed_out",
      error: { code: "event_timeout" },
    });
    expect((await runNow(world.connection, child_id)).status).toBe("pending");
    await end(child_id, "/complete", {});
    await world.tick("run-outbox");
    expect((await runNow(world.connection, parent.run_id)).status).toBe("timed_out");
  });

  it("R15 canceling the parent cancels the child, and nothing is resumed", async () => {
    const { parent, child_id } = await awaiting();
    await project.api.post(`/v1/runs/${parent.run_id}/cancel`);
    expect((await runNow(world.connection, child_id)).status).toBe("canceled");
    await world.tick("run-outbox");
    expect((await runNow(world.connection, parent.run_id)).status).toBe("canceled");
    expect(await triggersOf(parent.run_id)).toMatchObject([{ status: "canceled" }]);
  });

  it("R14 a child that has already ended resumes the parent at once", async () => {
    const { parent, child_id } = await awaiting({ idempotency_key: "done" });
    await end(child_id, "/complete", { result: 1 });
    await world.tick("run-outbox");
    expect((await runNow(world.connection, parent.run_id)).status).toBe("pending");
    const other = await runningRun(world, project);
    const again = await other.sdk.post("/spawn", { job_id, wait: true, idempotency_key: "done" });
    expect([again.status, again.body.id]).toEqual([200, child_id]);
    expect(await runNow(world.connection, other.run_id)).toMatchObject({
      status: "pending",
      checkpoint: { ok: true, status: "completed", output: 1 },
    });
    expect(await triggersOf(other.run_id)).toMatchObject([{ status: "received", prev_status: null }]);
  });

  it("R14 an attempt that missed the response gets the same child when it retries with its key", async () => {
    const { parent, child_id } = await awaiting({ idempotency_key: "unheard" });
    const again = await parent.sdk.post("/spawn", { job_id, wait: true, idempotency_key: "unheard" });
    expect([again.status, again.body.id]).toEqual([200, child_id]);
    expect(await triggersOf(parent.run_id)).toHaveLength(1);
  });

  it("R14 cannot wait for a run that another run awaits, for itself, or for its ancestors", async () => {
    await awaiting({ idempotency_key: "shared" });
    const other = await runningRun(world, project);
    const refused = await other.sdk.post("/spawn", { job_id, wait: true, idempotency_key: "shared" });
    expect([refused.status, refused.body.code]).toEqual([409, "conflict"]);
    expect((await runNow(world.connection, other.run_id)).status).toBe("running");

    const own = await makeJob(project, { dedup_window_secs: 3_600 });
    const first = (await project.api.post(`${own.path}/trigger`, { payload: { same: 1 } })).body;
    await runSql(
      world.connection,
      "update runs set prev_status = 'pending', status = 'running', attempt = 1 where id = $1",
      [first.id],
    );
    await runSql(
      world.connection,
      "update run_queue set lease_until = clock() + interval '30 s', lease_token = gen_random_uuid(), deadline = clock() + interval '1 h' where run_id = $1",
      [first.id],
    );
    const itself = await (await holderOf(world, first.id)).sdk.post("/spawn", {
      job_id: own.id,
      payload: { same: 1 },
      wait: true,
    });
    expect([itself.status, itself.body.code]).toEqual([409, "conflict"]);
    expect((await runNow(world.connection, first.id)).status).toBe("running");
  });

  it("R14 422 for wait_timeout_secs without wait, or out of range", async () => {
    const { sdk } = await runningRun(world, project);
    for (const body of [{ wait_timeout_secs: 5 }, { wait: true, wait_timeout_secs: 0 }]) {
      const refused = await sdk.post("/spawn", { job_id, ...body });
      expect([refused.status, refused.body.errors[0].location]).toEqual([422, "body.wait_timeout_secs"]);
    }
  });

  it("R14 a job that cannot be started leaves the parent running", async () => {
    const run = await runningRun(world, project);
    expect((await run.sdk.post("/spawn", { job_id: "nothing", wait: true })).status).toBe(422);
    expect((await runNow(world.connection, run.run_id)).status).toBe("running");
  });
});

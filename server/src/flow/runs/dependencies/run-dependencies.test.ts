import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { dependentRuns } from "../../../../test/seed/dependent-runs.ts";
import { endRun } from "../../../../test/seed/end-run.ts";
import { waitingRun } from "../../../../test/seed/waiting-run.ts";
import { runSql } from "../../../../test/world/database.ts";
import { makeJob, type TestJob } from "../../../../test/world/queue-world.ts";
import { untilUp } from "../../../../test/world/until-up.ts";
import { makeWorld, type TestProject, type World } from "../../../../test/world/world.ts";
import { newId } from "../../../platform/ids.ts";

let world: World;
let project: TestProject;
let job: TestJob;
let runs: ReturnType<typeof dependentRuns>;
beforeAll(async () => {
  world = await makeWorld();
  await untilUp([world]);
});
beforeEach(async () => {
  project = await world.project();
  job = await makeJob(project);
  runs = dependentRuns(world, project, job);
});

const after = (...ids: string[]) => ({ depends_on_run_ids: ids });

describe("depends_on_run_ids", () => {
  it("R12 a run starts when the last of its dependencies is completed, and not before", async () => {
    const [first, second] = [await runs.trigger(), await runs.trigger()];
    const run = await runs.trigger(job, after(first, second));
    expect(await runs.blockedOn(run)).toBe("dependency");
    await endRun(world, first);
    await runs.outbox();
    expect(await runs.blockedOn(run)).toBe("dependency");
    await endRun(world, second);
    await runs.outbox();
    expect(await runs.blockedOn(run)).toBeNull();
    await endRun(world, run);
    expect(await runs.runOf(run)).toMatchObject({ status: "completed" });
  });

  it("a completed dependency counts at once, and one listed twice counts once", async () => {
    const [done, open] = [await runs.trigger(), await runs.trigger()];
    await endRun(world, done);
    expect(await runs.blockedOn(await runs.trigger(job, after(done)))).toBeNull();
    const run = await runs.trigger(job, after(done, open, open));
    expect((await project.api.get(`/v1/runs/${run}/dependency-status`)).body.dependencies).toHaveLength(2);
    await endRun(world, open);
    await runs.outbox();
    expect(await runs.blockedOn(run)).toBeNull();
  });

  it("on a failed run: created and canceled at once, code dependency_failed", async () => {
    const failed = await runs.trigger();
    await endRun(world, failed, "failed");
    const response = await runs.ask(job, after(failed));
    expect(response.status).toBe(201);
    expect(response.body).toMatchObject({ status: "canceled", error: { code: "dependency_failed" } });
    expect(response.body.error.message).toContain(failed);
    const bulk = await project.api.post(`${job.path}/trigger/bulk`, { items: [after(failed), {}] });
    expect(bulk.body.results.map((each: { status: string }) => each.status)).toEqual(["created", "created"]);
    await runs.outbox();
    expect(await runs.runOf(bulk.body.results[0].run_id)).toMatchObject({ status: "canceled" });
    expect(await runs.runOf(bulk.body.results[1].run_id)).toMatchObject({ status: "pending" });
  });

  it("returns 422 with the path for unknown runs, another project's, and more than 100; in a bulk the item fails alone", async () => {
    const mine = await runs.trigger();
    const other = await world.project();
    const theirs = (await other.api.post(`${(await makeJob(other)).path}/trigger`, {})).body.id;
    for (const id of [newId(), theirs]) {
      const response = await runs.ask(job, after(mine, id));
      expect(response.status).toBe(422);
      expect(response.body.errors).toMatchObject([{ location: "body.depends_on_run_ids[1]", value: id }]);
    }
    expect((await runs.ask(job, after(...Array(101).fill(mine)))).status).toBe(422);
    const bulk = await project.api.post(`${job.path}/trigger/bulk`, { items: [after(mine), after(theirs)] });
    expect(bulk.body.results).toMatchObject([
      { status: "created" },
      { status: "failed", error: { errors: [{ location: "body.items[1].depends_on_run_ids[0]" }] } },
    ]);
    expect(await runs.blockedOn(bulk.body.results[0].run_id)).toBe("dependency");
  });

  it("a failure cancels the run, and all its dependents in turn", async () => {
    const first = await runs.trigger();
    const chain = [first];
    for (let depth = 0; depth < 4; depth++) chain.push(await runs.trigger(job, after(chain.at(-1) ?? "")));
    await endRun(world, first, "failed");
    for (let pass = 0; pass < 4; pass++) await runs.outbox();
    for (const id of chain.slice(1)) {
      expect(await runs.runOf(id)).toMatchObject({ status: "canceled", error: { code: "dependency_failed" } });
    }
    const causes = await project.api.get(`/v1/runs/${chain[4]}/transitions`);
    expect(causes.body.data.at(-1)).toMatchObject({ to_status: "canceled", cause: "dependency_failed" });
    expect(await runs.entriesLeft()).toEqual([]);
  });

  it.each([
    ["canceled", (id: string) => project.api.post(`/v1/runs/${id}/cancel`, {})],
    [
      "expired",
      async (id: string) => {
        await runSql(world.connection, "update run_queue set expires_at = clock() where run_id = $1", [id]);
        await world.tick("expire-runs");
      },
    ],
  ])("one that was %s satisfies no dependency", async (_, end) => {
    const first = await runs.trigger();
    const run = await runs.trigger(job, after(first));
    await end(first);
    await runs.outbox();
    expect(await runs.runOf(run)).toMatchObject({ status: "canceled", error: { code: "dependency_failed" } });
  });

  it("a run whose own wait timed out satisfies no dependent", async () => {
    const { run_id } = await waitingRun(world, project);
    const run = await runs.trigger(job, after(run_id));
    await runSql(world.connection, "update event_triggers set expires_at = clock() where job_run_id = $1", [run_id]);
    await world.tick("resolve-due-triggers");
    expect(await runs.runOf(run_id)).toMatchObject({ status: "timed_out" });
    await runs.outbox();
    expect(await runs.runOf(run)).toMatchObject({ status: "canceled", error: { code: "dependency_failed" } });
  });

  it("a replay of a failed run is another run, and does not revive the dependents", async () => {
    const first = await runs.trigger();
    const run = await runs.trigger(job, after(first));
    await endRun(world, first, "failed");
    await runs.outbox();
    const replay = await project.api.post(`/v1/runs/${first}/replay`, {});
    await endRun(world, replay.body.id);
    await runs.outbox();
    expect(await runs.runOf(run)).toMatchObject({ status: "canceled" });
    const again = await project.api.post(`/v1/runs/${run}/replay`, {});
    expect(await runs.blockedOn(again.body.id)).toBeNull();
  });

  it("a run that ends without dependents leaves no outbox entry", async () => {
    const [plain, watched] = [await runs.trigger(), await runs.trigger()];
    await runs.trigger(job, after(watched));
    await endRun(world, plain);
    expect(await runs.entriesLeft()).toEqual([]);
    await endRun(world, watched);
    expect(await runs.entriesLeft()).toEqual([{ kind: "dependents" }]);
  });
});

describe("a run with open dependencies", () => {
  it("that is not due waits for its time after them, and for them after its time", async () => {
    const [first, second] = [await runs.trigger(), await runs.trigger()];
    const early = await runs.trigger(job, { ...after(first), delay_secs: 3_600 });
    const late = await runs.trigger(job, { ...after(second), delay_secs: 3_600 });
    await endRun(world, first);
    await runs.outbox();
    expect(await runs.blockedOn(early)).toBe("not_due");
    await runSql(world.connection, "update run_queue set run_at = clock() where run_id = any($1)", [[early, late]]);
    await world.tick("release-due-runs");
    expect(await runs.blockedOn(early)).toBeNull();
    expect(await runs.blockedOn(late)).toBe("dependency");
    await endRun(world, second);
    await runs.outbox();
    expect(await runs.blockedOn(late)).toBeNull();
  });

  it("gets its queue position when it is released, not when it was triggered", async () => {
    const first = await runs.trigger();
    const run = await runs.trigger(job, { ...after(first), concurrency_key: "k" });
    expect((await runs.queued(run))?.interleave_at).toBeNull();
    const other = await runs.trigger();
    await endRun(world, first);
    await runs.outbox();
    const [mine, theirs] = [await runs.queued(run), await runs.queued(other)];
    expect(mine?.rank_at.getTime()).toBeGreaterThan(theirs?.rank_at.getTime() ?? Infinity);
    expect(mine?.interleave_at).not.toBeNull();
  });

  it("of a paused job stays so, is blocked on the pause when they have ended, and continues with the job", async () => {
    const other = await makeJob(project);
    const [first, second] = [await runs.trigger(other), await runs.trigger(other)];
    const [released, waiting] = [await runs.trigger(job, after(first)), await runs.trigger(job, after(second))];
    await project.api.post(`${job.path}/pause`);
    const created = await runs.trigger(job, after(second));
    expect(await Promise.all([released, waiting, created].map(runs.blockedOn))).toEqual(Array(3).fill("dependency"));
    await endRun(world, first);
    await runs.outbox();
    expect(await runs.blockedOn(released)).toBe(`paused_job:${job.id}`);
    await project.api.post(`${job.path}/resume`);
    expect(await Promise.all([released, waiting, created].map(runs.blockedOn))).toEqual([
      null,
      "dependency",
      "dependency",
    ]);
  });

  it("that is paused itself is resumed into waiting, or into the queue if they ended meanwhile", async () => {
    const [first, second] = [await runs.trigger(), await runs.trigger()];
    const [early, late] = [await runs.trigger(job, after(first)), await runs.trigger(job, after(second))];
    for (const id of [early, late]) await project.api.post(`/v1/runs/${id}/pause`);
    await endRun(world, second);
    await runs.outbox();
    expect(await runs.runOf(late)).toMatchObject({ status: "paused" });
    for (const id of [early, late]) await project.api.post(`/v1/runs/${id}/resume`);
    expect(await runs.blockedOn(early)).toBe("dependency");
    expect(await runs.blockedOn(late)).toBeNull();
    await endRun(world, first);
    await runs.outbox();
    expect(await runs.blockedOn(early)).toBeNull();
  });

  it("is canceled while paused when they fail; a canceled one stays as it is when they end", async () => {
    const first = await runs.trigger();
    const [paused, canceled] = [await runs.trigger(job, after(first)), await runs.trigger(job, after(first))];
    await project.api.post(`/v1/runs/${paused}/pause`);
    await project.api.post(`/v1/runs/${canceled}/cancel`, { reason: "not needed" });
    await endRun(world, first, "failed");
    await runs.outbox();
    expect(await runs.runOf(paused)).toMatchObject({ status: "canceled", error: { code: "dependency_failed" } });
    expect(await runs.runOf(canceled)).toMatchObject({ error: { code: "canceled", message: "not needed" } });
    expect(await runs.entriesLeft()).toEqual([]);
  });

  it("expires by the run_ttl_secs of its job, and that cancels its dependents", async () => {
    const brief = await makeJob(project, { run_ttl_secs: 60 });
    const run = await runs.trigger(brief, after(await runs.trigger()));
    const behind = await runs.trigger(job, after(run));
    await runSql(world.connection, "update run_queue set expires_at = clock() where run_id = $1", [run]);
    await world.tick("expire-runs");
    expect(await runs.runOf(run)).toMatchObject({ status: "canceled", error: { code: "expired" } });
    await runs.outbox();
    expect(await runs.runOf(behind)).toMatchObject({ error: { code: "dependency_failed" } });
  });

  it("is returned for a repeated key or payload", async () => {
    const first = await runs.trigger();
    const body = { ...after(first), idempotency_key: "once" };
    const run = await runs.trigger(job, body);
    expect((await runs.ask(job, body)).body.id).toBe(run);
    expect((await runs.ask(job, { idempotency_key: "once" })).status).toBe(409);
    const dedup = await makeJob(project, { dedup_window_secs: 60 });
    const kept = await runs.trigger(dedup, after(first));
    expect((await runs.ask(dedup, {})).body.id).toBe(kept);
    expect(await runs.blockedOn(kept)).toBe("dependency");
  });

  it("cannot belong to a job that merges triggers", async () => {
    const merging = await makeJob(project, { debounce_window_secs: 60 });
    const response = await runs.ask(merging, after(await runs.trigger()));
    expect(response.status).toBe(422);
    expect(response.body.errors[0].location).toBe("body.depends_on_run_ids");
  });

  it("may be rescheduled and reprioritized, and still waits", async () => {
    const run = await runs.trigger(job, after(await runs.trigger()));
    const scheduled_at = new Date(Date.now() + 3_600_000).toISOString();
    expect((await project.api.patch(`/v1/runs/${run}`, { priority: 5, scheduled_at })).status).toBe(200);
    expect(await runs.blockedOn(run)).toBe("dependency");
  });
});

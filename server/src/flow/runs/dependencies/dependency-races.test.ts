import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { dependentRuns } from "../../../../test/seed/dependent-runs.ts";
import { endRun } from "../../../../test/seed/end-run.ts";
import { randomFrom, testSeed } from "../../../../test/seed/seed.ts";
import { runSql } from "../../../../test/world/database.ts";
import { dyingInstance } from "../../../../test/world/dying-instance.ts";
import { claimOne, holdGate, makeJob, type TestJob, whenBlocked } from "../../../../test/world/queue-world.ts";
import { rounds } from "../../../../test/world/rounds.ts";
import { sizeOf } from "../../../../test/world/size.ts";
import { until } from "../../../../test/world/until.ts";
import { untilUp } from "../../../../test/world/until-up.ts";
import { makeWorld, type TestProject, type World } from "../../../../test/world/world.ts";
import { settleDependents } from "./settle-dependents.ts";

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

describe("the end of a run and its dependents", () => {
  it("an end while the dependent is being created comes before or after it, never between", async () => {
    const first = await runs.trigger();
    // The trigger holds the lock of the run it depends on, and waits for the job; the end waits for the trigger.
    const gate = await holdGate(world.connection, "lock table run_dependencies in exclusive mode");
    const response = runs.ask(job, after(first));
    await whenBlocked(world.connection, 1);
    const ended = endRun(world, first);
    await whenBlocked(world.connection, 2);
    await gate.open();
    const run = (await response).body.id;
    await ended;
    await runs.outbox();
    expect(await runs.blockedOn(run)).toBeNull();
    expect((await project.api.get(`/v1/runs/${run}/dependency-status`)).body).toMatchObject({ unblocked: true });
  });

  it("a trigger waits for an end that is being written, and sees it", async () => {
    const first = await runs.trigger();
    await claimOne(world.ctx, job);
    const end = `with gone as (delete from run_queue where run_id = $1)
      update runs set prev_status = status, status = 'completed', transition_count = transition_count + 1, finished_at = clock() where id = $1`;
    const gate = await holdGate(world.connection, end, [first]);
    // In bulk, since a single trigger checks again before it returns.
    const response = project.api.post(`${job.path}/trigger/bulk`, { items: [after(first)] });
    await whenBlocked(world.connection, 1);
    await gate.open();
    const run = (await response).body.results[0].run_id;
    expect(await runs.blockedOn(run)).toBeNull();
  });

  it("two concurrent settlements of the same end count it once", async () => {
    const [first, second] = [await runs.trigger(), await runs.trigger()];
    const run = await runs.trigger(job, after(first, second));
    await endRun(world, first);
    const gate = await holdGate(world.connection, "select 1 from run_queue where run_id = $1 for update", [run]);
    const both = [0, 1].map(() => settleDependents(world.ctx, { project_id: project.id, run_id: first }));
    await whenBlocked(world.connection, 2);
    await gate.open();
    await Promise.all(both);
    expect(await runs.blockedOn(run)).toBe("dependency");
  });

  it("concurrent triggers and ends leave no run waiting", async () => {
    for (let round = 0; round < rounds(4); round++) {
      const first = await runs.trigger();
      const [responses] = await Promise.all([
        Promise.all(Array.from({ length: 6 }, () => runs.ask(job, after(first)))),
        endRun(world, first, round % 2 ? "completed" : "failed"),
      ]);
      await until("the outbox to be done", 20_000, async () => {
        await runs.outbox();
        return (await runs.entriesLeft()).length === 0;
      });
      for (const { body } of responses) {
        if (round % 2) expect(await runs.blockedOn(body.id)).toBeNull();
        else expect(await runs.runOf(body.id)).toMatchObject({ status: "canceled" });
      }
    }
  });

  it("two last dependencies that end at once release it once, whichever instance processes the outbox", async () => {
    const run = await (async () => {
      const pair = [await runs.trigger(), await runs.trigger()];
      const run = await runs.trigger(job, after(...pair));
      for (const id of pair) await endRun(world, id);
      return run;
    })();
    await Promise.all([runs.outbox(), runs.outbox(), runs.outbox()]);
    expect(await runs.blockedOn(run)).toBeNull();
    const [row] = await runSql(world.connection, "select open_dependencies, transition_count from runs where id = $1", [
      run,
    ]);
    expect(row).toEqual({ open_dependencies: 0, transition_count: 1 });
    await runs.outbox();
    expect(await runs.entriesLeft()).toEqual([]);
  });

  it("an instance that dies after the end has left an outbox entry, and another releases the run", async () => {
    const first = await runs.trigger();
    const run = await runs.trigger(job, after(first));
    const { ctx, die } = dyingInstance(world.ctx);
    await endRun(world, first, "completed", ctx);
    die();
    expect(await runs.blockedOn(run)).toBe("dependency");
    await runs.outbox();
    expect(await runs.blockedOn(run)).toBeNull();
  });

  it("the reconciliation finds ends whose outbox entry was lost, and dependencies that were removed", async () => {
    const [lost, removed] = [await runs.trigger(), await runs.trigger()];
    const [run, orphan] = [await runs.trigger(job, after(lost)), await runs.trigger(job, after(removed))];
    await endRun(world, lost);
    await runSql(world.connection, "delete from outbox where project_id = $1", [project.id]);
    await runSql(world.connection, "delete from run_queue where run_id = $1", [removed]);
    await runSql(world.connection, "delete from runs where id = $1", [removed]);
    const age = "update run_dependencies set created_at = created_at - interval '1 hour' where run_id = any($1)";
    await runSql(world.connection, age, [[run, orphan]]);
    await runSql(world.connection, "update runs set finished_at = finished_at - interval '1 hour' where id = $1", [
      lost,
    ]);
    await world.tick("reconcile-dependencies");
    expect(await runs.blockedOn(run)).toBeNull();
    expect(await runs.runOf(orphan)).toMatchObject({ status: "canceled", error: { code: "dependency_failed" } });
  });

  it("the result of a dependency is known after it was removed", async () => {
    const [first, second] = [await runs.trigger(), await runs.trigger()];
    const run = await runs.trigger(job, after(first, second));
    await endRun(world, first);
    await runs.outbox();
    await runSql(world.connection, "delete from runs where id = $1", [first]);
    const status = (await project.api.get(`/v1/runs/${run}/dependency-status`)).body;
    expect(status.dependencies).toContainEqual(
      expect.objectContaining({ run_id: first, status: "completed", state: "satisfied" }),
    );
    await endRun(world, second);
    await runs.outbox();
    expect(await runs.blockedOn(run)).toBeNull();
  });

  it("more than a thousand dependents of one run are released a thousand at a time, until none is left", async () => {
    const first = await runs.trigger();
    const waiting = await copiesOf(await runs.trigger(job, after(first)), 1_100);
    const free = async () => {
      const count = "select count(*)::int as free from run_queue where run_id = any($1) and blocked_on is null";
      return (await runSql<{ free: number }>(world.connection, count, [waiting]))[0]?.free;
    };
    await endRun(world, first);
    await runs.outbox();
    expect(await free()).toBe(1_100);
    expect(await runs.entriesLeft()).toEqual([]);
  });
});

describe("random graphs of runs", () => {
  it("each run starts once, after all its dependencies, or is canceled if one of them did not complete", async () => {
    const random = randomFrom(testSeed("graphs of runs"));
    const ids: string[] = [];
    const parents = new Map<string, string[]>();
    for (let nth = 0; nth < sizeOf(10, 20); nth++) {
      const chosen = ids.filter(() => random() < 0.2);
      const id = await runs.trigger(job, chosen.length > 0 ? after(...chosen) : {});
      parents.set(id, chosen);
      ids.push(id);
    }
    const came = new Map<string, string>();
    while (came.size < ids.length) {
      const open = ids.filter((id) => !came.has(id));
      for (const id of open) {
        const status = (await runs.runOf(id)).status;
        const isReady = (parents.get(id) ?? []).every((parent) => came.get(parent) === "completed");
        const isDoomed = (parents.get(id) ?? []).some((parent) => came.has(parent) && came.get(parent) !== "completed");
        if (status === "pending") expect((await runs.blockedOn(id)) === null).toBe(isReady);
        else expect(isDoomed).toBe(true);
        if (status === "canceled") came.set(id, "canceled");
      }
      const startable = ids.filter(
        (id) => !came.has(id) && (parents.get(id) ?? []).every((p) => came.get(p) === "completed"),
      );
      const next = startable[Math.floor(random() * startable.length)];
      if (next === undefined) continue;
      const outcome = random() < 0.15 ? "failed" : "completed";
      await endRun(world, next, outcome);
      came.set(next, outcome);
      await until("the outbox to be done", 20_000, async () => {
        await runs.outbox();
        return (await runs.entriesLeft()).length === 0;
      });
    }
  });
});

/** The run and copies of it with their queue rows and dependencies, by the database: a thousand triggers take seconds. */
async function copiesOf(run_id: string, count: number): Promise<string[]> {
  const copy = (table: string, id: string) =>
    `insert into ${table} select (jsonb_populate_record(t, jsonb_build_object('${id}', n.id))).* from ${table} t, new n
     where t.${id} = $1`;
  const rows = await runSql<{ id: string }>(
    world.connection,
    `with new as materialized (select gen_random_uuid() as id from generate_series(2, $2::int)),
     runs_made as (${copy("runs", "id")}), queued as (${copy("run_queue", "run_id")}),
     depending as (${copy("run_dependencies", "run_id")})
     select id from new`,
    [run_id, count],
  );
  return [run_id, ...rows.map(({ id }) => id)];
}

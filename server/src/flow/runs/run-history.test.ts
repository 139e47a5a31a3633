import { beforeAll, describe, expect, it } from "vitest";
import { mapOf } from "../../../test/costs/map-bench.ts";
import { type WorkflowBench, workflowBench } from "../../../test/costs/workflow-bench.ts";
import type { Dispatch } from "../../../test/outside/job-endpoint.ts";
import { makeClient } from "../../../test/world/client.ts";
import { runSql } from "../../../test/world/database.ts";
import { makeFlowWorld } from "../../../test/world/flow-world.ts";
import { claimOne, makeJob, type TestJob } from "../../../test/world/queue-world.ts";
import { untilUp } from "../../../test/world/until-up.ts";
import type { TestProject, World } from "../../../test/world/world.ts";
import { settleRuns } from "./settle/settle-runs.ts";

let world: World;
let project: TestProject;
let bench: WorkflowBench;
beforeAll(async () => {
  world = await makeFlowWorld();
  await untilUp([world]);
  await world.clock.set("2030-01-01T00:00:00.000Z");
  project = await world.project();
  bench = await workflowBench(world, project, { max_attempts: 2, retry_strategy: "fixed" });
  bench.endpoint.respondWith(async (dispatch, response) => {
    const { status = 200, report } = dispatch.body.payload;
    // The number of tries distinguishes the first attempt.
    const isFailing = status >= 400 && dispatch.body.tries_used === 0;
    if (report && dispatch.attempt === 1) await sdkOf(dispatch).post(report.path, report.body);
    const isAccepted = status === 202 || report;
    response.writeHead(isFailing ? status : isAccepted ? 202 : 200, { "content-type": "application/json" }).end("{}");
  });
});

const sdkOf = ({ run_id, headers }: Dispatch) => {
  const client = makeClient(world.url, { authorization: `Bearer ${headers["x-svc-run-token"]}` });
  return { post: (path: string, body: object) => client.post(`/sdk/v1/runs/${run_id}/${path}`, body) };
};

async function trigger(payload: object = {}, fields: object = {}, job_id = bench.job_id): Promise<string> {
  const { status, body, text } = await project.api.post(`/v1/jobs/${job_id}/trigger`, { payload, ...fields });
  if (status !== 201) throw new Error(text);
  return body.id;
}

const idle = async (passing = "1s") => {
  await world.runUntilIdle();
  await world.clock.pass(passing);
  await world.runUntilIdle();
};
const post = async (path: string, body: object = {}) => {
  const response = await project.api.post(path, body);
  if (response.status >= 300) throw new Error(response.text);
  return response.body;
};
const runsOf = async (workflow_run_id: string): Promise<string[]> => {
  const rows = await runSql<{ id: string }>(world.connection, "select id from runs where workflow_run_id = $1", [
    workflow_run_id,
  ]);
  return rows.map(({ id }) => id);
};
const endpoint = { endpoint_url: "", max_attempts: 1 };

/** Scenarios by name: what happens to the runs, and how many transitions of each run are derived in the end. */
const LIVES: Record<string, { derived: number[]; live: () => Promise<string[]> }> = {
  "completes at once": { derived: [3], live: async () => [await trigger()] },
  "completes from the queue": {
    derived: [3],
    live: async () => {
      const id = await trigger({}, { delay_secs: 5 });
      await idle("6s");
      return [id];
    },
  },
  "reports its own end": {
    derived: [3],
    live: async () => [await trigger({ report: { path: "complete", body: { result: 1 } } })],
  },
  "is retried": {
    derived: [2],
    live: async () => {
      const id = await trigger({ status: 500 });
      await idle("5s");
      return [id];
    },
  },
  "fails for good": { derived: [2], live: async () => [await trigger({ status: 422 })] },
  "is canceled before it starts": {
    derived: [1],
    live: async () => {
      const id = await trigger({}, { delay_secs: 50 });
      await post(`/v1/runs/${id}/cancel`);
      return [id];
    },
  },
  "is canceled while it runs": {
    derived: [2],
    live: async () => {
      const id = await trigger({ status: 202 });
      await idle();
      await post(`/v1/runs/${id}/cancel`);
      return [id];
    },
  },
  "is paused and resumed before it starts": {
    derived: [1],
    live: async () => {
      const id = await trigger({}, { delay_secs: 2 });
      await post(`/v1/runs/${id}/pause`);
      await idle();
      await post(`/v1/runs/${id}/resume`);
      await idle("3s");
      return [id];
    },
  },
  "waits for an event": {
    derived: [2],
    live: async () => {
      const id = await trigger({ report: { path: "wait-for-event", body: { event_key: "history" } } });
      await idle();
      await post("/v1/events/history/send", { payload: { n: 1 } });
      await idle();
      return [id];
    },
  },
  "times out": {
    derived: [2],
    live: async () => {
      const id = await trigger({ status: 202 }, { timeout_secs: 10, max_attempts: 1 });
      await idle("11s");
      return [id];
    },
  },
  "is replayed": {
    derived: [2, 3],
    live: async () => {
      const id = await trigger({ status: 422 });
      await idle();
      const { id: replay } = await post(`/v1/runs/${id}/replay`, { payload: {} });
      return [id, replay];
    },
  },
  "spawns a run": {
    derived: [2, 3],
    live: async () => {
      const id = await trigger({ report: { path: "spawn", body: { job_id: bench.job_id, wait: true } } });
      await idle("5s");
      const rows = await runSql<{ id: string }>(world.connection, "select id from runs where parent_run_id = $1", [id]);
      return [id, ...rows.map((row) => row.id)];
    },
  },
  "is a step of a workflow": {
    derived: [3],
    live: async () => runsOf((await bench.run(await bench.save([{ step_ref: "a" }]))).run.id),
  },
  "is an item of a map": {
    derived: [3, 3],
    live: async () => {
      const ran = await bench.run(await bench.save([mapOf(bench)]), { payload: { list: [{}, {}] } });
      return runsOf(ran.run.id);
    },
  },
  "is erased": {
    derived: [3, 2],
    live: async () => {
      const ids = [await trigger(), await trigger({ status: 422 })];
      await idle();
      for (const id of ids) expect((await project.api.delete(`/v1/runs/${id}/data`)).status).toBe(204);
      return ids;
    },
  },
  "is triggered in a batch": {
    derived: [3, 3],
    live: async () => {
      const items = [{ payload: {} }, { payload: {} }];
      const { results } = await post(`/v1/jobs/${bench.job_id}/trigger/bulk`, { items });
      return results.map(({ run_id }: { run_id: string }) => run_id);
    },
  },
  "is limited": {
    derived: [3, 3],
    live: async () => {
      const { id } = await makeJob(project, { ...endpoint, endpoint_url: bench.endpoint.url, max_concurrency: 1 });
      const ids = [await trigger({}, {}, id), await trigger({}, {}, id)];
      await idle();
      return ids;
    },
  },
  "is triggered twice with one key": {
    derived: [3],
    live: async () => {
      const id = await trigger({}, { idempotency_key: "history" });
      const again = await post(`/v1/jobs/${bench.job_id}/trigger`, { payload: {}, idempotency_key: "history" });
      expect(again.id).toBe(id);
      return [id];
    },
  },
};

type Rows = Record<string, unknown>[];

/** What the statements that moved the runs added to the changelog, which is independent of the history. */
const changesOf = (ids: string[]): Promise<Rows> =>
  runSql(
    world.connection,
    `select m.run_id, m.ordinal, m.from_status, m.to_status, m.cause, m.attempt, c.created_at from (
       select ids, ordinals, from_statuses, to_statuses, causes, attempts, kind, created_at from changelog
       union all
       select ids, ordinals, from_statuses, to_statuses, causes, attempts, kind, created_at from changelog_inbox
     ) c, unnest(c.ids, c.ordinals, c.from_statuses, c.to_statuses, c.causes, c.attempts)
       as m(run_id, ordinal, from_status, to_status, cause, attempt)
     where c.kind = 'run' and m.run_id = any($1::uuid[]) order by 1, 2`,
    [ids],
  );

const historyOf = (ids: string[]): Promise<Rows> =>
  runSql(
    world.connection,
    `select run_id, ordinal, from_status, to_status, cause, attempt, created_at from run_history
     where run_id = any($1::uuid[]) order by 1, 2`,
    [ids],
  );

/** What the API returns for the runs' histories, as text. */
const answersAbout = async (ids: string[]): Promise<string[]> => {
  const paths = ids.flatMap((id) => ["transitions", "attempts", "explain"].map((part) => `/v1/runs/${id}/${part}`));
  const answers = await Promise.all(paths.map((path) => project.api.get(path)));
  expect(answers.map(({ status }) => status)).toEqual(paths.map(() => 200));
  return answers.map(({ text }) => text);
};

/** Stores the derived transitions, as they were stored before. */
async function storeAll(ids: string[]): Promise<void> {
  await runSql(
    world.connection,
    `insert into run_transitions (project_id, run_id, ordinal, from_status, to_status, cause, attempt, detail, created_at)
     select project_id, run_id, ordinal, from_status, to_status, cause, attempt, detail, created_at from run_history h
     where run_id = any($1::uuid[]) and not exists (
       select 1 from run_transitions t where t.run_id = h.run_id and t.ordinal = h.ordinal)`,
    [ids],
  );
  await runSql(world.connection, "update runs set derived_transitions = 0 where id = any($1::uuid[])", [ids]);
}

describe("the history of a run that", () => {
  it.each(Object.entries(LIVES))("%s is the one that its changes say, derived or stored", async (_, life) => {
    const ids = await life.live();
    await idle();
    const derived = await runSql<{ derived_transitions: number; id: string }>(
      world.connection,
      "select derived_transitions, id from runs where id = any($1::uuid[])",
      [ids],
    );
    expect(ids.map((id) => derived.find((run) => run.id === id)?.derived_transitions)).toEqual(life.derived);
    const history = await historyOf(ids);
    expect(history).toEqual(await changesOf(ids));
    expect(history.length).toBeGreaterThanOrEqual(2 * ids.length);
    const answers = await answersAbout(ids);
    await storeAll(ids);
    expect(await historyOf(ids)).toEqual(history);
    expect(await answersAbout(ids)).toEqual(answers);
  });

  it("completes has the response that completed it in its last transition, if there was one", async () => {
    const ids = [await trigger(), await trigger({ report: { path: "complete", body: {} } })];
    await idle();
    const details = await Promise.all(
      ids.map(async (id) => (await project.api.get(`/v1/runs/${id}/transitions?order=asc`)).body.data[2].detail),
    );
    expect(details).toEqual([
      { http_status: 200, duration_ms: expect.any(Number), error: null },
      { http_status: null, duration_ms: null, error: null },
    ]);
  });
});

describe("a transition is stored", () => {
  let job: TestJob;
  beforeAll(async () => {
    job = await makeJob(project);
  });

  const storedOf = async (id: string): Promise<number[]> => {
    const rows = await runSql<{ ordinal: number }>(
      world.connection,
      "select ordinal from run_transitions where run_id = $1 order by 1",
      [id],
    );
    return rows.map(({ ordinal }) => ordinal);
  };
  const set = (id: string, columns: string) =>
    runSql(world.connection, `update runs set ${columns} where id = $1`, [id]);
  const complete = async (id: string) => {
    const run = await claimOne(world.ctx, job);
    expect(run.run_id).toBe(id);
    return settleRuns(world.ctx, [{ run, outcome: { kind: "completed", result_json: "1", http_status: 200 } }]);
  };
  /** A queued run that nothing dispatches. */
  const queued = async () => {
    await post(`${job.path}/pause`);
    const id = await trigger({}, {}, job.id);
    await runSql(world.connection, "update jobs set paused_at = null where id = $1", [job.id]);
    await runSql(world.connection, "update run_queue set blocked_on = null where run_id = $1", [id]);
    return id;
  };

  it("if the run is from before transitions were derived", async () => {
    const id = await queued();
    await storeAll([id]);
    await complete(id);
    expect(await storedOf(id)).toEqual([1, 2, 3]);
  });

  it("if an instance of the previous version stored the one before it", async () => {
    const id = await queued();
    const run = await claimOne(world.ctx, job);
    await set(id, "derived_transitions = 1");
    await runSql(
      world.connection,
      `insert into run_transitions (project_id, run_id, ordinal, from_status, to_status, cause, attempt, created_at)
       select project_id, id, 2, 'pending', 'running', 'claimed', 1, started_at from runs where id = $1`,
      [id],
    );
    await settleRuns(world.ctx, [{ run, outcome: { kind: "completed", result_json: "1" } }]);
    expect(await storedOf(id)).toEqual([2, 3]);
    expect(await historyOf([id])).toEqual(await changesOf([id]));
  });
});

import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { disorder } from "../../../../test/oracles/queue-order.ts";
import { type Dispatch, jobEndpoint } from "../../../../test/outside/job-endpoint.ts";
import { holderOf } from "../../../../test/seed/running-run.ts";
import { makeClient } from "../../../../test/world/client.ts";
import { runSql } from "../../../../test/world/database.ts";
import { makeFlowWorld } from "../../../../test/world/flow-world.ts";
import { fillQueue, makeJob } from "../../../../test/world/queue-world.ts";
import { untilUp } from "../../../../test/world/until-up.ts";
import type { TestProject, World } from "../../../../test/world/world.ts";
import { renewLeases } from "../claim/renew-leases.ts";

let world: World;
let project: TestProject;
beforeAll(async () => {
  world = await makeFlowWorld();
  await untilUp([world]);
  await world.clock.set("2030-01-01T00:00:00.000Z");
  project = await world.project();
});

async function rowOf(run_id: string): Promise<Record<string, unknown>> {
  const [row] = await runSql(
    world.connection,
    `select r.status, r.attempt, r.tries_used, r.crash_count, r.result, r.error ->> 'code' as code, t.cause,
       r.dead_lettered_at is not null as is_dead, q.lease_until, q.instance_id, q.deadline, q.blocked_on
     from runs r join run_history t on t.run_id = r.id and t.ordinal = r.transition_count
     left join run_queue q on q.run_id = r.id where r.id = $1`,
    [run_id],
  );
  if (!row) throw new Error("no such run");
  return row;
}

describe("a run accepted with 202", () => {
  let dispatches: Dispatch[];
  let url: string;
  beforeEach(async () => {
    const endpoint = await jobEndpoint();
    dispatches = endpoint.respondWith(202).dispatches;
    url = endpoint.url;
  });

  const sdkOf = ({ run_id, headers }: Dispatch) => {
    const client = makeClient(world.url, { authorization: `Bearer ${headers["x-svc-run-token"]}` });
    return (verb: string, body: object = {}) => client.post(`/sdk/v1/runs/${run_id}/${verb}`, body);
  };

  async function accepted(fields: object = {}) {
    const job = await makeJob(project, { endpoint_url: url, heartbeat_timeout_secs: 60, timeout_secs: 100, ...fields });
    const [id = ""] = await fillQueue(world.ctx, job, 1);
    await world.runUntilIdle();
    const dispatch = dispatches.at(-1);
    if (dispatch?.run_id !== id) throw new Error("it was not dispatched");
    return { job, id, sdk: sdkOf(dispatch) };
  }

  it("R14 owns its lease: heartbeats extend it, never beyond the deadline, and no instance renews it", async () => {
    const { id, sdk } = await accepted();
    const first = await rowOf(id);
    expect(first).toMatchObject({ status: "running", instance_id: null });
    expect(await secsUntil(first.lease_until)).toBe(60);
    await world.clock.pass("30s");
    await world.tick("renew-leases");
    // Not even an instance that began to renew its leases just before the 202 was stored.
    const { project_id, lease_token } = await holderOf(world, id);
    expect(await renewLeases(world.ctx, [{ project_id, run_id: id, lease_token }])).toEqual([id]);
    expect(await rowOf(id)).toEqual(first);
    expect((await sdk("heartbeat")).status).toBe(200);
    expect(await secsUntil((await rowOf(id)).lease_until)).toBe(60);
    await world.clock.pass("30s");
    await sdk("heartbeat");
    expect((await rowOf(id)).lease_until).toEqual(first.deadline);
    expect((await sdk("complete", { result: 7 })).status).toBe(200);
    expect(await rowOf(id)).toMatchObject({ status: "completed", result: 7, attempt: 1 });
  });

  it("keeps its concurrency slot, and releases it when heartbeats stop", async () => {
    const { job, id } = await accepted({ max_concurrency: 1 });
    const [second = ""] = await fillQueue(world.ctx, job, 1);
    await world.runUntilIdle();
    expect(await rowOf(second)).toMatchObject({ status: "pending", blocked_on: `job:${job.id}` });
    await world.clock.pass("61s");
    await world.tick("sweep-leases");
    expect(await rowOf(id)).toMatchObject({
      status: "pending",
      cause: "heartbeat_lost",
      tries_used: 1,
      crash_count: 0,
    });
    await world.runUntilIdle();
    expect(await rowOf(second)).toMatchObject({ status: "running" });
    expect(await disorder(world.connection)).toEqual([]);
  });

  it("is timed_out after its last try, by missing heartbeats or at its deadline", async () => {
    const silent = await accepted({ max_attempts: 1 });
    await world.clock.pass("61s");
    await world.tick("sweep-leases");
    expect(await rowOf(silent.id)).toMatchObject({ status: "timed_out", code: "heartbeat_lost", is_dead: true });
    expect((await silent.sdk("complete")).body).toMatchObject({ code: "run_already_ended" });

    const late = await accepted({ max_attempts: 1 });
    for (let beat = 0; beat < 2; beat++) {
      await world.clock.pass("50s");
      await late.sdk("heartbeat");
    }
    await world.tick("sweep-leases");
    expect(await rowOf(late.id)).toMatchObject({ status: "timed_out", code: "timeout", is_dead: true });
  });

  it("R14 that completes before its 202 is stored stays completed, and the 202 changes nothing", async () => {
    const endpoint = await jobEndpoint();
    endpoint.respondWith(async (dispatch, response) => {
      expect((await sdkOf(dispatch)("complete", { result: "first" })).status).toBe(200);
      response.writeHead(202).end();
    });
    const job = await makeJob(project, { endpoint_url: endpoint.url, max_concurrency: 3 });
    const [id = ""] = await fillQueue(world.ctx, job, 1);
    await world.runUntilIdle();
    expect(await rowOf(id)).toMatchObject({ status: "completed", result: "first", attempt: 1 });
    expect(await disorder(world.connection)).toEqual([]);
  });
});

const secsUntil = async (instant: unknown) =>
  ((instant as Date).getTime() - Date.parse(await world.clock.now())) / 1_000;

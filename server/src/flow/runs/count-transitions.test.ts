import { beforeAll, describe, expect, it } from "vitest";
import { disorder } from "../../../test/oracles/queue-order.ts";
import { type JobEndpoint, jobEndpoint } from "../../../test/outside/job-endpoint.ts";
import { randomFrom, testSeed } from "../../../test/seed/seed.ts";
import { makeClient } from "../../../test/world/client.ts";
import { runSql } from "../../../test/world/database.ts";
import { makeFlowWorld } from "../../../test/world/flow-world.ts";
import { makeJob, type TestJob } from "../../../test/world/queue-world.ts";
import { sizeOf } from "../../../test/world/size.ts";
import { untilUp } from "../../../test/world/until-up.ts";
import type { TestProject, World } from "../../../test/world/world.ts";
import { cancelRun } from "./stop/cancel-runs.ts";

const OPERATIONS = sizeOf(25, 500);

let world: World;
let project: TestProject;
let endpoint: JobEndpoint;
let jobs: TestJob[];
const random = randomFrom(testSeed("mixed operations"));
const oneOf = <T>(some: readonly T[]): T => some[Math.floor(random() * some.length)] as T;

beforeAll(async () => {
  world = await makeFlowWorld();
  await untilUp([world]);
  await world.clock.set("2030-01-01T00:00:00.000Z");
  project = await world.project();
  endpoint = await jobEndpoint();
  endpoint.respondWith((_, response) => void response.writeHead(oneOf([200, 200, 200, 202, 202, 500, 422])).end());
  const shared = { endpoint_url: endpoint.url, timeout_secs: 100, heartbeat_timeout_secs: 30, retry_strategy: "fixed" };
  jobs = [
    await makeJob(project, { ...shared, max_attempts: 2 }),
    await makeJob(project, { ...shared, max_attempts: 3, max_concurrency: 2 }),
    await makeJob(project, { ...shared, run_ttl_secs: 20 }),
  ];
});

const ids: string[] = [];

const OPERATION: Record<string, () => Promise<unknown>> = {
  trigger: async () => {
    const delay_secs = oneOf([0, 0, 0, 40]);
    const { status, body } = await project.api.post(`${oneOf(jobs).path}/trigger`, { delay_secs });
    expect(status).toBe(201);
    ids.push(body.id);
  },
  cancel: () => operate("cancel"),
  pause: () => operate("pause"),
  resume: () => operate("resume"),
  replay: async () => {
    const reply = await operate("replay");
    if (reply?.status === 201) ids.push(reply.body.id);
  },
  "cancel below the edge": () =>
    cancelRun(world.ctx, {
      project_id: project.id,
      run_id: oneOf(ids),
      cause: "overlap",
      reason: null,
      by: { id: null, name: "test" },
    }),
  "report an end": async () => {
    const { run_id, headers } = oneOf(endpoint.dispatches) ?? {};
    const client = makeClient(world.url, { authorization: `Bearer ${headers?.["x-svc-run-token"]}` });
    const reply = await client.post(`/sdk/v1/runs/${run_id}/${oneOf(["complete", "fail"])}`, {
      error: { message: "x" },
    });
    expect(reply.status).toBeLessThan(500);
  },
  "let time pass": async () => {
    await world.clock.pass(oneOf(["1s", "5s", "31s"]));
    await world.runUntilIdle();
  },
};

async function operate(verb: string) {
  const reply = await project.api.post(`/v1/runs/${oneOf(ids)}/${verb}`);
  expect(reply.status).toBeLessThan(500);
  return reply;
}

async function counted(): Promise<Record<string, number>> {
  const { values } = await world.ctx.metrics.runTransitions.get();
  return Object.fromEntries(values.map(({ labels, value }) => [`${labels.from_status}>${labels.to_status}`, value]));
}

async function logged(): Promise<Record<string, number>> {
  const rows = await runSql<{ pair: string; count: number }>(
    world.connection,
    `select coalesce(from_status, '') || '>' || to_status as pair, count(*)::int from run_history group by 1`,
  );
  return Object.fromEntries(rows.map((row) => [row.pair, row.count]));
}

describe("svc_run_transitions_total", () => {
  it("equals the transition log after mixed operations", async () => {
    for (let nth = 0; nth < 12; nth++) await OPERATION.trigger?.();
    await world.runUntilIdle();
    for (let nth = 0; nth < OPERATIONS; nth++) await OPERATION[oneOf(Object.keys(OPERATION))]?.();
    await world.clock.pass("10m");
    await world.runUntilIdle();
    expect(await counted()).toEqual(await logged());
    expect(Object.keys(await logged()).length).toBeGreaterThanOrEqual(6);
    expect(await disorder(world.connection)).toEqual([]);
  });
});

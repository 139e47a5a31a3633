import { createHmac } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { dispatchBench, pollQueue, runWhenDue } from "../../../../test/costs/dispatch-bench.ts";
import type { Dispatch } from "../../../../test/outside/job-endpoint.ts";
import { runSql } from "../../../../test/world/database.ts";
import { makeFlowWorld } from "../../../../test/world/flow-world.ts";
import type { World } from "../../../../test/world/world.ts";
import { dispatcherOf } from "../../../engine/dispatcher.ts";

let world: World;
beforeAll(async () => {
  world = await makeFlowWorld();
  await world.clock.set("2030-01-01T00:00:00Z");
});

/** Verifies a signature from the documentation alone, without our code, as a receiver would. */
function hmac(secret: string, text: string): string {
  return createHmac("sha256", Buffer.from(secret.slice("whsec_".length), "base64"))
    .update(text)
    .digest("hex");
}

function only(dispatches: Dispatch[]): Dispatch {
  const [dispatch, ...more] = dispatches;
  if (!dispatch || more.length > 0) throw new Error(`${dispatches.length} dispatches`);
  return dispatch;
}

describe("the request of a dispatch", () => {
  it("R1 is a POST to the job's endpoint with every field of the protocol", async () => {
    const requests: unknown[] = [];
    const { project, endpoint, job, trigger, read } = await dispatchBench(world, (_, response) => {
      requests.push([response.req.method, response.req.url]);
      response.writeHead(200).end();
    });
    const job_id = await job({
      slug: "charge",
      endpoint_url: `${endpoint.url}/a%20b?v=2`,
      default_run_metadata: { m: 1 },
    });
    const run_id = await trigger(job_id, { payload: { order: [7, "é", null] }, tags: ["eu"], max_attempts: 5 });
    await world.runUntilIdle();
    const { job_version_id } = await read(run_id);
    expect(requests).toEqual([["POST", "/job/a%20b?v=2"]]);
    expect(only(endpoint.dispatches).body).toEqual({
      run_id,
      job_id,
      job_slug: "charge",
      job_version_id,
      project_id: project.id,
      attempt: 1,
      max_attempts: 5,
      tries_used: 0,
      payload: { order: [7, "é", null] },
      metadata: { m: 1 },
      tags: { eu: "true" },
      checkpoint: null,
      state: null,
      waits: [],
      env: {},
      scheduled_at: "2030-01-01T00:00:00.000Z",
      deadline: "2030-01-01T00:05:00.000Z",
    });
  });

  it("R1 has the headers of the protocol, and the job's own", async () => {
    const { endpoint, job, trigger } = await dispatchBench(world);
    const job_id = await job({ headers: { Authorization: "Bearer hush", "X-Team": "billing" } });
    const run_id = await trigger(job_id);
    await world.runUntilIdle();
    const { headers } = only(endpoint.dispatches);
    expect(headers).toMatchObject({
      authorization: "Bearer hush",
      "x-team": "billing",
      "content-type": "application/json",
      "user-agent": "millrace",
      "x-svc-run-id": run_id,
      "x-svc-job-id": job_id,
      "x-svc-attempt": "1",
      "idempotency-key": run_id,
      traceparent: expect.stringMatching(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/),
    });
    expect(headers.traceparent).toContain(run_id.replaceAll("-", ""));
  });

  it("R1 sends the headers of the run's version, not of a later one", async () => {
    const { project, endpoint, job, trigger } = await dispatchBench(world);
    const job_id = await job({ headers: { "X-Version": "1" } });
    await trigger(job_id);
    await project.api.patch(`/v1/jobs/${job_id}`, { headers: { "X-Version": "2" } });
    await world.runUntilIdle();
    expect(only(endpoint.dispatches).headers["x-version"]).toBe("1");
  });

  it("R1 keeps its Idempotency-Key over attempts, whose number strictly rises, in a trace of its own", async () => {
    const { endpoint, run, read } = await dispatchBench(world, 503, 503, 200);
    const run_id = await run();
    await world.runUntilIdle();
    for (let n = 0; n < 2; n++) await runWhenDue(world, await read(run_id));
    const { dispatches } = endpoint;
    expect(dispatches.map(({ headers }) => headers["idempotency-key"])).toEqual([run_id, run_id, run_id]);
    expect(dispatches.map(({ headers }) => headers["x-svc-attempt"])).toEqual(["1", "2", "3"]);
    expect(dispatches.map(({ body }) => [body.attempt, body.tries_used])).toEqual([
      [1, 0],
      [2, 1],
      [3, 2],
    ]);
    expect(new Set(dispatches.map(({ headers }) => headers.traceparent)).size).toBe(3);
    expect(new Set(dispatches.map(({ headers }) => String(headers.traceparent).slice(3, 35))).size).toBe(1);
    expect(await read(run_id)).toMatchObject({ status: "completed", attempt: 3, tries_used: 2 });
  });
});

describe("the signatures of a dispatch", () => {
  it("R1 are made with the project's secret over the received bytes", async () => {
    const { project, endpoint, run } = await dispatchBench(world);
    await run({}, { payload: "é\u2028\u{1f600}" });
    const setAt = performance.now();
    await world.clock.set("2030-01-01T00:00:07.900Z");
    await world.runUntilIdle();
    const { headers, raw } = only(endpoint.dispatches);
    const timestamp = String(headers["x-svc-timestamp"]);
    // The database's time, which is read periodically and extrapolated in between.
    const latest = Date.parse("2030-01-01T00:00:07.900Z") + performance.now() - setAt;
    expect(Number(timestamp)).toBeGreaterThanOrEqual(Date.parse("2030-01-01T00:00:07Z") / 1_000);
    expect(Number(timestamp)).toBeLessThanOrEqual(latest / 1_000);
    expect(headers["x-svc-signature"]).toBe(`v1=${hmac(project.webhook_secret, `${timestamp}.${raw}`)}`);
    expect(headers["x-webhook-signature"]).toBe(`sha256=${hmac(project.webhook_secret, raw)}`);
  });

  it("R1 are two while a secret rotates, the newest first, and one again after its grace period", async () => {
    const [rotating, rotated] = [await dispatchBench(world), await dispatchBench(world)];
    const rotate = async ({ project }: typeof rotating) =>
      (await project.api.post(`/v1/projects/${project.id}/webhook-secret/rotate`, { grace_period_minutes: 60 })).body
        .webhook_secret as string;
    const secrets = [await rotate(rotating), rotating.project.webhook_secret];
    const newest = await rotate(rotated);
    await rotating.run();
    await world.runUntilIdle();
    const signed = only(rotating.endpoint.dispatches);
    const text = `${signed.headers["x-svc-timestamp"]}.${signed.raw}`;
    expect(signed.headers["x-svc-signature"]).toBe(secrets.map((secret) => `v1=${hmac(secret, text)}`).join(","));
    expect(signed.headers["x-webhook-signature"]).toBe(`sha256=${hmac(secrets[0] ?? "", signed.raw)}`);
    await world.clock.pass("1h");
    await rotated.run();
    await world.runUntilIdle();
    const { headers, raw } = only(rotated.endpoint.dispatches);
    expect(headers["x-svc-signature"]).toBe(`v1=${hmac(newest, `${headers["x-svc-timestamp"]}.${raw}`)}`);
  });
});

describe("the run token of a dispatch", () => {
  it("R1 gives access to the SDK paths of its run while it runs, and contains the run and the attempt", async () => {
    const reported: unknown[] = [];
    const { project, endpoint, run } = await dispatchBench(world, async ({ run_id, headers }, response) => {
      const authorization = `Bearer ${headers["x-svc-run-token"]}`;
      const reply = await fetch(`${world.url}/sdk/v1/runs/${run_id}`, { headers: { authorization } });
      reported.push(reply.status, await reply.json());
      response.writeHead(200).end();
    });
    const run_id = await run();
    await world.runUntilIdle();
    expect(reported).toMatchObject([200, { id: run_id, attempt: 1 }]);
    const { headers, body } = only(endpoint.dispatches);
    const token = String(headers["x-svc-run-token"]).split(".");
    const [header, claims] = token.slice(0, 2).map((part) => JSON.parse(Buffer.from(part, "base64url").toString()));
    expect(header).toEqual({ alg: "HS256", typ: "run+jwt" });
    expect(claims).toEqual({
      iss: "svc",
      aud: "svc:run",
      sub: run_id,
      att: 1,
      pid: project.id,
      ltk: expect.stringMatching(/^[0-9a-f]{16}$/),
      exp: Math.ceil(Date.parse(body.deadline) / 1_000) + 60,
    });
    const after = await fetch(`${world.url}/sdk/v1/runs/${run_id}/heartbeat`, {
      method: "POST",
      headers: { authorization: `Bearer ${token.join(".")}` },
    });
    expect(after.status).toBe(410);
  });

  it("R1 gives a saved checkpoint to the next attempt as its state", async () => {
    const { endpoint, run, read } = await dispatchBench(
      world,
      async ({ run_id, headers }, response) => {
        await fetch(`${world.url}/sdk/v1/runs/${run_id}/checkpoint`, {
          method: "POST",
          headers: { authorization: `Bearer ${headers["x-svc-run-token"]}`, "content-type": "application/json" },
          body: '{"state":{"page":3}}',
        });
        response.writeHead(503).end();
      },
      200,
    );
    const run_id = await run();
    await world.runUntilIdle();
    await runWhenDue(world, await read(run_id));
    expect(endpoint.dispatches[1]?.body).toMatchObject({ state: { page: 3 }, checkpoint: { page: 3 }, attempt: 2 });
  });
});

describe("the variables of a dispatch", () => {
  it("R1 are those of the run's environment merged over those of its parents", async () => {
    const { project, endpoint, run } = await dispatchBench(world);
    const create = async (name: string, fields: object) =>
      (await project.api.post("/v1/environments", { name, ...fields })).body.id as string;
    const top = await create("Top", { variables: { A: "top", B: "top", C: "top" } });
    const middle = await create("Middle", { parent_id: top, variables: { B: "middle", C: "middle" } });
    const environment_id = await create("Bottom", { parent_id: middle, variables: { C: "bottom", D: "" } });
    await run({}, { environment_id });
    await world.runUntilIdle();
    const { body, headers } = only(endpoint.dispatches);
    expect(body.env).toEqual({ A: "top", B: "middle", C: "bottom", D: "" });
    expect(JSON.stringify(headers)).not.toContain("middle");
  });

  it("R1 are never sent over plain http in production", async () => {
    const serving = await makeFlowWorld({ config: { mode: "serve" } });
    const { project, endpoint, run } = await dispatchBench(serving);
    await project.api.patch("/v1/environments/production", { variables: { SECRET: "hush" } });
    await run();
    await serving.runUntilIdle();
    const { body, raw } = only(endpoint.dispatches);
    expect([body.env, raw.includes("hush")]).toEqual([{}, false]);
  });
});

describe("a run that cannot be sent", () => {
  it("R1 because its body is above 4 MB fails without a dispatch", async () => {
    const { endpoint, run, read } = await dispatchBench(world);
    const [large, fits] = [await run(), await run()];
    const grow = (id: string, bytes: number) =>
      runSql(world.connection, "update runs set payload = to_jsonb(repeat('x', $2)) where id = $1", [id, bytes]);
    await grow(large, 4_194_304);
    await grow(fits, 4_194_304 - 2_000);
    await world.runUntilIdle();
    expect(await read(large)).toMatchObject({ status: "failed", error: { code: "payload_too_large" }, attempt: 1 });
    expect((await read(large)).dead_lettered_at).not.toBeNull();
    expect((await read(fits)).status).toBe("completed");
    expect(only(endpoint.dispatches).run_id).toBe(fits);
  });

  it("R1 because it was dispatched 10,000 times fails", async () => {
    const { endpoint, run, read } = await dispatchBench(world);
    const run_id = await run();
    await runSql(world.connection, "update runs set attempt = 10000 where id = $1", [run_id]);
    await world.runUntilIdle();
    expect(await read(run_id)).toMatchObject({ status: "failed", error: { code: "too_many_dispatches" } });
    expect(endpoint.dispatches).toEqual([]);
  });

  it("R1 because its address is refused fails without a retry", async () => {
    const { endpoint, run, read } = await dispatchBench(world);
    const run_id = await run();
    const strict = await world.anotherInstance({ private_endpoints: "refuse" });
    await pollQueue(strict.ctx);
    await dispatcherOf(strict.ctx).idle();
    expect(await read(run_id)).toMatchObject({ status: "failed", error: { code: "endpoint_refused_address" } });
    expect(endpoint.dispatches).toEqual([]);
  });
});

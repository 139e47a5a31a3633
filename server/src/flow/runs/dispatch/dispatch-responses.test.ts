import type { Run } from "@millrace/contract/runs/runs";
import { beforeAll, describe, expect, it } from "vitest";
import { type DispatchBench, dispatchBench, pollQueue, runWhenDue } from "../../../../test/costs/dispatch-bench.ts";
import { jobEndpoint, type Script } from "../../../../test/outside/job-endpoint.ts";
import { makeFlowWorld } from "../../../../test/world/flow-world.ts";
import { until } from "../../../../test/world/until.ts";
import type { World } from "../../../../test/world/world.ts";
import { dispatcherOf } from "../../../engine/dispatcher.ts";

let world: World;
beforeAll(async () => {
  world = await makeFlowWorld();
  await world.clock.set("2030-01-01T00:00:00Z");
});

/** The results of runs whose first dispatches got these responses, each in a project of its own. */
async function afterFirst(scripts: Script[], job: object = {}) {
  const benches = await Promise.all(scripts.map((script) => dispatchBench(world, script, 200)));
  const ids = await Promise.all(benches.map(({ run }) => run(job)));
  await world.runUntilIdle();
  const runs = await Promise.all(benches.map(({ read }, nth) => read(ids[nth] ?? "")));
  return benches.map((bench, nth) => ({
    ...bench,
    run: runs[nth] as Run,
    dispatches: bench.endpoint.dispatches,
  }));
}

/** The result of a run whose first dispatch got this response. */
async function afterOne(script: Script, job: object = {}) {
  const [made] = await afterFirst([script], job);
  if (!made) throw new Error("no run");
  return made;
}

/** The delay from now until a run is due again. */
async function delayOf({ read }: Pick<DispatchBench, "read">, run_id: string): Promise<number> {
  const { scheduled_at } = await read(run_id);
  return (Date.parse(scheduled_at) - Date.parse(await world.clock.now())) / 1_000;
}

const endingWith = (body: string | Buffer, status = 200): Script => {
  return (_, response) => void response.writeHead(status).end(body);
};

describe("a response", () => {
  it("R1 with 200, 201 or 204 completes the run with its body as the result", async () => {
    const responses = [
      { status: 200, body: { sum: 3 }, result: { sum: 3 } },
      { status: 201, body: [1], result: [1] },
      { status: 200, result: null },
      { status: 204, result: null },
    ];
    for (const [nth, { run, dispatches, transitions }] of (await afterFirst(responses)).entries()) {
      const { result } = responses[nth] ?? {};
      expect(run).toMatchObject({ status: "completed", result, error: null, attempt: 1, tries_used: 0 });
      expect([run.finished_at !== null, run.dead_lettered_at, dispatches.length]).toEqual([true, null, 1]);
      expect((await transitions(run.id)).map(({ to_status, cause }) => [to_status, cause])).toEqual([
        ["pending", "created"],
        ["running", "claimed"],
        ["completed", "completed"],
      ]);
    }
  });

  it("R1 with a redirect is not followed and ends the run", async () => {
    const elsewhere = await jobEndpoint();
    const statuses = [302, 308];
    const ended = await afterFirst(statuses.map((status) => ({ status, headers: { location: elsewhere.url } })));
    for (const [nth, { run }] of ended.entries()) {
      expect(run).toMatchObject({ status: "failed", error: { code: `http_${statuses[nth]}` }, attempt: 1 });
      expect(run.dead_lettered_at).not.toBeNull();
    }
    expect(elsewhere.dispatches).toEqual([]);
  });

  it("R1 with 400, 404 or 422 ends the run at once, in the dead-letter queue", async () => {
    const statuses = [400, 404, 422];
    const ended = await afterFirst(statuses.map((status) => ({ status, body: { why: "no such card" } })));
    for (const [nth, { run, project }] of ended.entries()) {
      expect(run).toMatchObject({ status: "failed", attempt: 1, result: null });
      expect(run.error).toEqual({
        code: `http_${statuses[nth]}`,
        message: `The endpoint responded with ${statuses[nth]}: {"why":"no such card"}`,
      });
      const listed = await project.api.get("/v1/runs?dead_letter=true");
      expect(listed.body.data.map((each: { id: string }) => each.id)).toEqual([run.id]);
    }
  });

  it("R1 with 408, 425, 429 or 503 is retried", async () => {
    const statuses = [408, 425, 429, 503];
    const tried = await afterFirst(statuses);
    for (const [nth, { run, transitions }] of tried.entries()) {
      const error = { code: `http_${statuses[nth]}` };
      expect(run).toMatchObject({ status: "pending", error, tries_used: 1, finished_at: null });
      expect((await transitions(run.id)).at(-1)).toMatchObject({
        from_status: "running",
        to_status: "pending",
        cause: "retry",
        detail: { http_status: statuses[nth], error },
      });
    }
    const [last = ""] = tried.map(({ run }) => run.scheduled_at).toSorted((a, b) => Date.parse(b) - Date.parse(a));
    await runWhenDue(world, { scheduled_at: last });
    for (const { read, run } of tried) {
      expect(await read(run.id)).toMatchObject({ status: "completed", attempt: 2, tries_used: 1, error: null });
    }
  });

  it("R1 with 503 on every try ends the run on the last, in the dead-letter queue", async () => {
    const { endpoint, run, read } = await dispatchBench(world, 503);
    const run_id = await run({ max_attempts: 3 });
    await world.runUntilIdle();
    for (let n = 0; n < 2; n++) await runWhenDue(world, await read(run_id));
    const ended = await read(run_id);
    expect(ended).toMatchObject({ status: "failed", error: { code: "http_503" }, attempt: 3, tries_used: 3 });
    expect(ended.dead_lettered_at).toBe(ended.finished_at);
    await world.clock.pass("24h");
    await world.runUntilIdle();
    expect(endpoint.dispatches).toHaveLength(3);
  });
});

describe("Retry-After", () => {
  it("R1 is honored: in seconds, as a date, at most an hour", async () => {
    const inHalfAnHour = new Date(Date.now() + 1_800_000).toUTCString();
    // A date counts from when the response is read, which may be a while later on a busy machine.
    const values = [
      { value: "120", min: 120, max: 150 },
      { value: inHalfAnHour, min: 1_600, max: 2_200 },
      { value: "86400", min: 3_600, max: 4_400 },
    ];
    const made = await afterFirst(values.map(({ value }) => ({ status: 429, headers: { "retry-after": value } })));
    for (const [nth, { value, min, max }] of values.entries()) {
      const bench = made[nth] as (typeof made)[number];
      const delay = await delayOf(bench, bench.run.id);
      expect([delay >= min, delay <= max], `${value}: ${delay}`).toEqual([true, true]);
    }
  });

  it("R1 that is shorter than the job's own delay changes nothing", async () => {
    const job = { retry_strategy: "custom", retry_delays_secs: [600] };
    const made = await afterOne({ status: 503, headers: { "retry-after": "1" } }, job);
    expect(await delayOf(made, made.run.id)).toBeGreaterThanOrEqual(600);
  });
});

describe("the delay between tries, by the job's strategy", () => {
  it.each<[string, object, number[]]>([
    ["exponential", {}, [1, 2, 4]],
    ["linear", { retry_strategy: "linear" }, [1, 2, 3]],
    ["fixed", { retry_strategy: "fixed" }, [1, 1]],
    ["custom", { retry_strategy: "custom", retry_delays_secs: [30, 86_400] }, [30, 86_400, 86_400]],
  ])("R1 %s: no retry is early, and each one arrives", async (_, strategy, delays) => {
    const bench = await dispatchBench(world, 500);
    const max_attempts = delays.length + 1;
    const run_id = await bench.run({ ...strategy, max_attempts });
    await world.runUntilIdle();
    for (const [index, delay] of delays.entries()) {
      const waits = await delayOf(bench, run_id);
      expect([waits >= delay, waits <= delay * 1.2 + 0.001]).toEqual([true, true]);
      const { scheduled_at } = await bench.read(run_id);
      await world.clock.set(new Date(Date.parse(scheduled_at) - 1).toISOString());
      await world.runUntilIdle();
      expect(bench.endpoint.dispatches).toHaveLength(index + 1);
      await runWhenDue(world, { scheduled_at });
      expect(bench.endpoint.dispatches).toHaveLength(index + 2);
    }
    const ended = { status: "failed", attempt: max_attempts, tries_used: max_attempts };
    expect(await bench.read(run_id)).toMatchObject(ended);
  });
});

describe("an endpoint without a response", () => {
  it("R17 because nothing listens there is tried again, and no try is used", async () => {
    const { endpoint, run, read } = await dispatchBench(world);
    const run_id = await run({ endpoint_url: "http://127.0.0.1:1025/" });
    await world.runUntilIdle();
    expect(await read(run_id)).toMatchObject({ status: "pending", error: { code: "endpoint_connect" }, tries_used: 0 });
    expect(endpoint.dispatches).toEqual([]);
  });

  it("R1 because it closes the connection before or during its response is retried", async () => {
    const closed = await afterFirst([
      (_, response) => void response.destroy(),
      (_, response) => {
        response.writeHead(200, { "content-length": "10" }).write("12345", () => response.destroy());
      },
    ]);
    for (const { run } of closed) {
      expect(run).toMatchObject({ status: "pending", error: { code: "endpoint_reset" }, tries_used: 1 });
    }
  });

  it("R1 within timeout_secs is retried; on the last try the run has timed out", async () => {
    const bench = await dispatchBench(world, () => {});
    const job_id = await bench.job({ timeout_secs: 1 });
    const [again, last] = [await bench.trigger(job_id), await bench.trigger(job_id, { max_attempts: 1 })];
    // The response trickles in: the timeout includes the last byte.
    const slow = await dispatchBench(world, (_, response) => {
      const drip = setInterval(() => response.write(" "), 100);
      response.on("close", () => clearInterval(drip));
    });
    const dripping = await slow.run({}, { timeout_secs: 1 });
    await world.runUntilIdle();
    expect(await bench.read(again)).toMatchObject({ status: "pending", error: { code: "timeout" }, tries_used: 1 });
    expect((await bench.transitions(again)).at(-1)?.cause).toBe("timeout");
    const ended = await bench.read(last);
    expect(ended).toMatchObject({ status: "timed_out", error: { code: "timeout" }, tries_used: 1 });
    expect(ended.dead_lettered_at).not.toBeNull();
    expect(await slow.read(dripping)).toMatchObject({ status: "pending", error: { code: "timeout" } });
  });
});

describe("the result of a run", () => {
  const RESULTS: [string, Script, unknown][] = [
    ["text that is not JSON", endingWith("OK, done"), "OK, done"],
    ["a scalar", endingWith("5"), 5],
    ["characters that cannot be kept", endingWith('{"a":"x\\u0000y\\ud800"}'), { a: "x\ufffdy\ufffd" }],
    ["bytes that are not text", endingWith(Buffer.from([0xff, 0x00, 0x61])), "\ufffd\ufffda"],
    ["1 MB", endingWith(JSON.stringify("x".repeat(1_048_574))), "x".repeat(1_048_574)],
  ];

  it("R1 may be text, a scalar, text with characters that cannot be stored, and 1 MB", async () => {
    const made = await afterFirst(RESULTS.map(([, script]) => script));
    for (const [nth, { run }] of made.entries()) {
      const [what, , result] = RESULTS[nth] ?? [];
      expect(run.status, what).toBe("completed");
      expect(run.result === result || JSON.stringify(run.result) === JSON.stringify(result), what).toBe(true);
    }
  });

  it("R1 above 1 MB, or with a number that would be rounded, fails the run without a retry", async () => {
    const tooLarge = endingWith(JSON.stringify("x".repeat(1_048_575)));
    const made = await afterFirst([tooLarge, endingWith('{"id":12345678901234567890}')]);
    for (const [nth, { run, dispatches }] of made.entries()) {
      const code = nth === 0 ? "result_too_large" : "result_rejected";
      expect(run).toMatchObject({ status: "failed", result: null, error: { code }, attempt: 1 });
      expect(dispatches).toHaveLength(1);
    }
  });

  it("R1 that does not match the job's result_schema is a failed try", async () => {
    const { endpoint, run, read } = await dispatchBench(
      world,
      { status: 200, body: { id: "x" } },
      { status: 200, body: { id: 1 } },
    );
    const run_id = await run({ result_schema: { type: "object", properties: { id: { type: "integer" } } } });
    await world.runUntilIdle();
    expect(await read(run_id)).toMatchObject({ status: "pending", error: { code: "result_invalid" }, tries_used: 1 });
    await runWhenDue(world, await read(run_id));
    expect(await read(run_id)).toMatchObject({ status: "completed", result: { id: 1 } });
    expect(endpoint.dispatches).toHaveLength(2);
  });
});

describe("what an operator sees of dispatches", () => {
  it("R1 each is an attempt with its status, duration and error, and is measured", async () => {
    const { run, project } = await afterOne({ status: 503, body: "busy" });
    await runWhenDue(world, run);
    const attempts = (await project.api.get(`/v1/runs/${run.id}/attempts`)).body.data;
    expect(attempts).toMatchObject([
      { attempt: 1, outcome: "retry", http_status: 503, error: { code: "http_503" }, duration_ms: expect.any(Number) },
      { attempt: 2, outcome: "completed", http_status: 200, error: null },
    ]);
    const measured = await world.ctx.metrics.dispatchDuration.get();
    const counts = measured.values.filter(({ metricName, labels }) => {
      return metricName?.endsWith("_count") && labels.job_id === run.job_id;
    });
    expect(counts.map(({ labels, value }) => [labels.outcome, value])).toEqual([
      ["failed", 1],
      ["completed", 1],
    ]);
  });
});

describe("a slow host", () => {
  it("R1 delays neither the service nor another host, even with more runs than it may have slots", async () => {
    const held: (() => void)[] = [];
    const small = await world.anotherInstance({ dispatch_concurrency: 8 });
    const slow = await dispatchBench(world, (_, response) => void held.push(() => response.writeHead(200).end()));
    const quick = await dispatchBench(world);
    const [slowJob, quickJob] = [await slow.job(), await quick.job()];
    await slow.project.api.post(`/v1/jobs/${slowJob}/trigger/bulk`, { items: Array(20).fill({}) });
    await pollQueue(small.ctx);
    await until("the host to have its fill", 20_000, () => held.length === 6);
    const run_id = await quick.trigger(quickJob);
    await pollQueue(small.ctx);
    await until("the other host's run", 20_000, async () => (await quick.read(run_id)).status === "completed");
    const responding = setInterval(() => {
      for (const reply of held.splice(0)) reply();
    }, 5);
    await dispatcherOf(small.ctx).idle();
    clearInterval(responding);
    expect(slow.endpoint.dispatches).toHaveLength(20);
  });
});

import { beforeAll, describe, expect, it } from "vitest";
import { sendHttp } from "../../../../test/outside/http-request.ts";
import { runSql } from "../../../../test/world/database.ts";
import { sizeOf } from "../../../../test/world/size.ts";
import { type Instance, makeWorld, type TestProject, type World } from "../../../../test/world/world.ts";
import { triggerJob } from "./trigger-job.ts";

let world: World;
let second: Instance;
let project: TestProject;
beforeAll(async () => {
  world = await makeWorld();
  second = await world.anotherInstance();
  project = await world.project();
});

async function makeJob(fields: object = {}) {
  const response = await project.api.post("/v1/jobs", {
    name: "Job",
    endpoint_url: "http://127.0.0.1:1025/",
    ...fields,
  });
  if (response.status !== 201) throw new Error(response.text);
  return response.body as { id: string };
}
const trigger = ({ id }: { id: string }, body: object = {}, headers: Record<string, string> = {}) =>
  project.api.post(`/v1/jobs/${id}/trigger`, body, { headers });
const idsOf = async ({ id }: { id: string }) =>
  (await runSql<{ id: string }>(world.connection, "select id from runs where job_id = $1", [id])).map((run) => run.id);

describe("a trigger with an idempotency key", () => {
  it("R2 returns 200 with the current run when repeated, marked as replayed", async () => {
    const job = await makeJob();
    const first = await trigger(job, { payload: { a: 1, b: [2] }, idempotency_key: "k" });
    expect([first.status, first.headers.get("idempotent-replayed")]).toEqual([201, null]);
    expect(first.body.idempotency_key).toBe("k");
    await project.api.post(`/v1/runs/${first.body.id}/cancel`);
    const again = await trigger(job, { idempotency_key: "k", payload: { b: [2], a: 1 } });
    expect([again.status, again.headers.get("idempotent-replayed")]).toEqual([200, "true"]);
    expect(again.body).toMatchObject({
      id: first.body.id,
      status: "canceled",
      $schema: `${world.url}/schemas/Run.json`,
    });
    expect(await idsOf(job)).toEqual([first.body.id]);
  });

  it.each<[string, object]>([
    ["another payload", { payload: 2 }],
    ["no payload", { payload: undefined }],
    ["another priority", { priority: 1 }],
    ["other tags", { tags: ["x"] }],
    ["another time", { delay_secs: 5 }],
  ])("R2 returns 409 when repeated with %s", async (_, other) => {
    const job = await makeJob();
    const requested = { payload: 1, idempotency_key: "k" };
    await trigger(job, requested);
    const refused = await trigger(job, { ...requested, ...other });
    expect([refused.status, refused.body.code]).toEqual([409, "idempotency_conflict"]);
    expect((await trigger(job, requested)).status).toBe(200);
    expect(await idsOf(job)).toHaveLength(1);
  });

  it("R2 accepts it in the header or in the body; both must agree", async () => {
    const job = await makeJob();
    const byHeader = await trigger(job, { payload: 1 }, { "idempotency-key": "k" });
    expect([byHeader.status, byHeader.body.idempotency_key]).toEqual([201, "k"]);
    expect((await trigger(job, { payload: 1, idempotency_key: "k" })).body.id).toBe(byHeader.body.id);
    expect((await trigger(job, { payload: 1, idempotency_key: "k" }, { "idempotency-key": "k" })).status).toBe(200);
    const differing = await trigger(job, { idempotency_key: "k" }, { "idempotency-key": "other" });
    expect([differing.status, differing.body.errors[0].location]).toEqual([422, "body.idempotency_key"]);
    const malformed = await trigger(job, {}, { "idempotency-key": "x".repeat(257) });
    expect([malformed.status, malformed.body.errors[0].location]).toEqual([422, "header.Idempotency-Key"]);
  });

  it("R2 is valid for 24 hours from its first use, then it is new", async () => {
    await world.clock.set("2030-01-01T00:00:00Z");
    const job = await makeJob();
    const requested = { payload: 1, idempotency_key: "k" };
    const first = (await trigger(job, requested)).body;
    await world.clock.set("2030-01-01T12:00:00Z");
    expect((await trigger(job, requested)).status).toBe(200);
    await world.clock.set("2030-01-01T23:59:59.999Z");
    expect((await trigger(job, requested)).body.id).toBe(first.id);
    await world.clock.set("2030-01-02T00:00:00Z");
    const next = await trigger(job, { ...requested, payload: "another" });
    expect([next.status, next.body.id === first.id]).toEqual([201, false]);
    await world.clock.set("2030-01-02T23:00:00Z");
    expect((await trigger(job, { ...requested, payload: "another" })).body.id).toBe(next.body.id);
    expect((await trigger(job, requested)).status).toBe(409);
  });

  it("R2 is scoped to its job and environment", async () => {
    const [one, two] = [await makeJob(), await makeJob()];
    const requested = { idempotency_key: "k" };
    const outcomes = [
      await trigger(one, requested),
      await trigger(two, requested),
      await trigger(one, { ...requested, environment_id: "staging" }),
    ];
    expect(outcomes.map(({ status }) => status)).toEqual([201, 201, 201]);
    expect(new Set(outcomes.map(({ body }) => body.id)).size).toBe(3);
    const named = await trigger(one, { ...requested, environment_id: "production" });
    expect(named.body.code).toBe("idempotency_conflict");
  });

  it("R2 is not used up by a rejected trigger", async () => {
    const job = await makeJob({ payload_schema: { type: "string" } });
    expect((await trigger(job, { idempotency_key: "k", payload: 1 })).status).toBe(422);
    expect((await trigger(job, { idempotency_key: "k", payload: "1" })).status).toBe(201);
  });

  it("R2 may be any text", async () => {
    const job = await makeJob();
    const keys = ["é ü", "a/b", "a'b\"c\\", "%_", " ", "\u{1f600}".repeat(60)];
    for (const idempotency_key of keys) {
      expect((await trigger(job, { idempotency_key })).status).toBe(201);
      expect((await trigger(job, { idempotency_key })).status).toBe(200);
    }
    expect(await idsOf(job)).toHaveLength(keys.length);
  });
});

type Response = { key: number; status: number; run_id: string };
type Ask = (job: { id: string }, key: number) => Promise<Response>;

/** Over HTTP, or straight through the function: without HTTP, eight times as many run in the same milliseconds. */
const overHttp =
  (url: string): Ask =>
  async ({ id }, key) => {
    const headers = { authorization: `Bearer ${project.key}`, "content-type": "application/json" };
    const body = JSON.stringify({ payload: { key }, idempotency_key: `key-${key}` });
    const response = await sendHttp(url, { method: "POST", path: `/v1/jobs/${id}/trigger`, headers, body });
    return { key, status: response.status, run_id: JSON.parse(response.body).id };
  };

const straight =
  ({ ctx }: Instance): Ask =>
  async ({ id }, key) => {
    const statuses = [201];
    const reply = { header: () => {}, status: (code: number) => void statuses.push(code) };
    const requested = { payload: { key }, idempotency_key: `key-${key}` };
    const run = await triggerJob({ ...world.callerCtx(), ...ctx, project_id: project.id }, id, requested, reply);
    return { key, status: statuses.at(-1) ?? 0, run_id: run.id };
  };

/** Each of 8 clients sends every key, 40 at a time, some forwards and some backwards. */
async function race(job: { id: string }, keys: number, asks: Ask[]): Promise<Response[]> {
  const responses: Response[] = [];
  const client = async (nth: number) => {
    let next = 0;
    const worker = async () => {
      while (next < keys) {
        const nextKey = next++;
        const ask = asks[nth % asks.length];
        if (ask) responses.push(await ask(job, nth % 2 === 0 ? nextKey : keys - 1 - nextKey));
      }
    };
    await Promise.all(Array.from({ length: 40 }, worker));
  };
  await Promise.all(Array.from({ length: 8 }, (_, nth) => client(nth)));
  return responses;
}

const MANY = sizeOf(10, 500);
const FEW = sizeOf(5, 50);

describe("8 clients that trigger with the same keys at once", () => {
  it.each<[string, number, () => Ask[]]>([
    [`${MANY} runs on one instance`, MANY, () => [straight(world)]],
    [`${MANY} runs on two instances`, MANY, () => [straight(world), straight(second)]],
    [`${FEW} runs over HTTP on two instances`, FEW, () => [overHttp(world.url), overHttp(second.url)]],
  ])("R2 start exactly %s", { timeout: 60_000 }, async (_, keys, asks) => {
    const job = await makeJob();
    const responses = await race(job, keys, asks());
    const created = responses.filter(({ status }) => status === 201);
    expect([created.length, responses.filter(({ status }) => status === 200).length]).toEqual([keys, 7 * keys]);
    expect(new Set(responses.map(({ key, run_id }) => `${key} ${run_id}`)).size).toBe(keys);
    expect((await idsOf(job)).toSorted()).toEqual(created.map(({ run_id }) => run_id).toSorted());
  });
});

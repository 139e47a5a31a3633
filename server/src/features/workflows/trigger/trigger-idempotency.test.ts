import { beforeAll, describe, expect, it } from "vitest";
import { sendHttp } from "../../../../test/outside/http-request.ts";
import { makeWorkflow } from "../../../../test/seed/make-workflow.ts";
import { runSql } from "../../../../test/world/database.ts";
import { sizeOf } from "../../../../test/world/size.ts";
import { type Instance, makeWorld, type TestProject, type World } from "../../../../test/world/world.ts";
import { triggerWorkflow } from "./trigger-workflow.ts";

let world: World;
let second: Instance;
let project: TestProject;
beforeAll(async () => {
  world = await makeWorld();
  second = await world.anotherInstance();
  project = await world.project();
});

type Made = { id: string };
const make = (fields: object = {}): Promise<Made> => makeWorkflow(project, fields);
const trigger = ({ id }: Made, body: object = {}, headers: Record<string, string> = {}) =>
  project.api.post(`/v1/workflows/${id}/trigger`, body, { headers });
const idsOf = async ({ id }: Made) =>
  (await runSql<{ id: string }>(world.connection, "select id from workflow_runs where workflow_id = $1", [id])).map(
    (run) => run.id,
  );

describe("a trigger of a workflow with an idempotency key", () => {
  it("returns 200 with the current run and the replay header for a repeated trigger", async () => {
    const workflow = await make();
    const first = await trigger(workflow, { payload: { a: 1, b: [2] }, idempotency_key: "k" });
    expect([first.status, first.headers.get("idempotent-replayed")]).toEqual([201, null]);
    await project.api.post(`/v1/workflow-runs/${first.body.id}/cancel`);
    const again = await trigger(workflow, { idempotency_key: "k", payload: { b: [2], a: 1 } });
    expect([again.status, again.headers.get("idempotent-replayed")]).toEqual([200, "true"]);
    expect(again.body).toMatchObject({
      id: first.body.id,
      status: "canceled",
      $schema: `${world.url}/schemas/WorkflowRun.json`,
    });
    expect(await idsOf(workflow)).toEqual([first.body.id]);
  });

  it.each<[string, object]>([
    ["another payload", { payload: 2 }],
    ["no payload", { payload: undefined }],
    ["another routing key", { routing_key: "r" }],
    ["a version", { version: 1 }],
    ["other tags", { tags: ["x"] }],
    ["another time", { delay_secs: 5 }],
  ])("returns 409 when repeated with %s", async (_, other) => {
    const workflow = await make();
    const asked = { payload: 1, idempotency_key: "k" };
    await trigger(workflow, asked);
    const refused = await trigger(workflow, { ...asked, ...other });
    expect([refused.status, refused.body.code]).toEqual([409, "idempotency_conflict"]);
    expect((await trigger(workflow, asked)).status).toBe(200);
    expect(await idsOf(workflow)).toHaveLength(1);
  });

  it("accepts it in the header or in the body; both must agree", async () => {
    const workflow = await make();
    const byHeader = await trigger(workflow, { payload: 1 }, { "idempotency-key": "k" });
    expect([byHeader.status, byHeader.body.idempotency_key]).toEqual([201, "k"]);
    expect((await trigger(workflow, { payload: 1, idempotency_key: "k" })).body.id).toBe(byHeader.body.id);
    const differing = await trigger(workflow, { idempotency_key: "k" }, { "idempotency-key": "other" });
    expect([differing.status, differing.body.errors[0].location]).toEqual([422, "body.idempotency_key"]);
  });

  it("is valid for 24 hours from its first use, then it is new", async () => {
    await world.clock.set("2030-01-01T00:00:00Z");
    const workflow = await make();
    const asked = { payload: 1, idempotency_key: "k" };
    const first = (await trigger(workflow, asked)).body;
    await world.clock.set("2030-01-01T23:59:59.999Z");
    expect((await trigger(workflow, asked)).body.id).toBe(first.id);
    await world.clock.set("2030-01-02T00:00:00Z");
    const next = await trigger(workflow, { ...asked, payload: "another" });
    expect([next.status, next.body.id === first.id]).toEqual([201, false]);
  });

  it("is scoped to its workflow and environment", async () => {
    const [one, two] = [await make(), await make()];
    const asked = { idempotency_key: "k" };
    const responses = [
      await trigger(one, asked),
      await trigger(two, asked),
      await trigger(one, { ...asked, environment_id: "staging" }),
    ];
    expect(responses.map(({ status }) => status)).toEqual([201, 201, 201]);
    expect(new Set(responses.map(({ body }) => body.id)).size).toBe(3);
  });

  it("is not consumed by a rejected trigger, or by one that raced with a change of the workflow", async () => {
    const workflow = await make({ payload_schema: { type: "string" } });
    expect((await trigger(workflow, { idempotency_key: "k", payload: 1 })).status).toBe(422);
    expect((await trigger(workflow, { idempotency_key: "k", payload: "1" })).status).toBe(201);
    for (let round = 0; round < 5; round++) {
      const [, ...responses] = await Promise.all([
        project.api.patch(`/v1/workflows/${workflow.id}`, { timeout_secs: 100 + round }),
        ...Array.from({ length: 4 }, (_, n) => trigger(workflow, { payload: "1", idempotency_key: `r${round}-${n}` })),
      ]);
      expect(responses.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
    }
    expect(await idsOf(workflow)).toHaveLength(21);
  });
});

type Outcome = { key: number; status: number; run_id: string };
type Ask = (workflow: Made, key: number) => Promise<Outcome>;

/** Over HTTP, or calling the function: without HTTP, more requests meet in the same milliseconds. */
const overHttp =
  (url: string): Ask =>
  async ({ id }, key) => {
    const headers = { authorization: `Bearer ${project.key}`, "content-type": "application/json" };
    const body = JSON.stringify({ payload: { key }, idempotency_key: `key-${key}` });
    const response = await sendHttp(url, { method: "POST", path: `/v1/workflows/${id}/trigger`, headers, body });
    return { key, status: response.status, run_id: JSON.parse(response.body).id };
  };

const straight =
  ({ ctx }: Instance): Ask =>
  async ({ id }, key) => {
    const statuses = [201];
    const reply = { header: () => {}, status: (code: number) => void statuses.push(code) };
    const asked = { payload: { key }, idempotency_key: `key-${key}` };
    const run = await triggerWorkflow({ ...world.callerCtx(), ...ctx, project_id: project.id }, id, asked, reply);
    return { key, status: statuses.at(-1) ?? 0, run_id: run.id };
  };

/** Each of 8 clients uses every key, ten at a time, some forwards and some backwards. */
async function race(workflow: Made, keys: number, asks: Ask[]): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  const client = async (nth: number) => {
    let next = 0;
    const worker = async () => {
      while (next < keys) {
        const position = next++;
        const ask = asks[nth % asks.length];
        if (ask) outcomes.push(await ask(workflow, nth % 2 === 0 ? position : keys - 1 - position));
      }
    };
    await Promise.all(Array.from({ length: 10 }, worker));
  };
  await Promise.all(Array.from({ length: 8 }, (_, nth) => client(nth)));
  return outcomes;
}

const KEYS = sizeOf(6, 50);

describe("8 clients that concurrently trigger a workflow with the same keys", () => {
  it.each<[string, () => Ask[]]>([
    ["on one instance", () => [straight(world)]],
    ["on two instances", () => [straight(world), straight(second)]],
    ["over HTTP on two instances", () => [overHttp(world.url), overHttp(second.url)]],
  ])(`start exactly ${KEYS} runs %s`, { timeout: 60_000 }, async (_, asks) => {
    const workflow = await make();
    const outcomes = await race(workflow, KEYS, asks());
    const created = outcomes.filter(({ status }) => status === 201);
    expect([created.length, outcomes.filter(({ status }) => status === 200).length]).toEqual([KEYS, 7 * KEYS]);
    expect(new Set(outcomes.map(({ key, run_id }) => `${key} ${run_id}`)).size).toBe(KEYS);
    expect((await idsOf(workflow)).toSorted()).toEqual(created.map(({ run_id }) => run_id).toSorted());
  });
});

import { beforeAll, describe, expect, it } from "vitest";
import { type ReadStream, readStream } from "../../../test/outside/read-stream.ts";
import { appendStates } from "../../../test/seed/append-changes.ts";
import { seedBatch } from "../../../test/seed/seed-batch.ts";
import { seedDeliveries, seedDelivery } from "../../../test/seed/seed-delivery.ts";
import { seedRun } from "../../../test/seed/seed-run.ts";
import { runSql } from "../../../test/world/database.ts";
import { until } from "../../../test/world/until.ts";
import { makeWorld, type TestProject, type World } from "../../../test/world/world.ts";
import { newId } from "../../platform/ids.ts";

let world: World;
let project: TestProject;
let staging: string;
beforeAll(async () => {
  world = await makeWorld();
  project = await world.project();
  const { data } = (await project.api.get("/v1/environments")).body;
  staging = data.find(({ slug }: { slug: string }) => slug === "staging").id;
});

function open(topics: string, key = project.key, lastEventId?: string): Promise<ReadStream> {
  const headers = { authorization: `Bearer ${key}`, ...(lastEventId && { "last-event-id": lastEventId }) };
  return readStream(world.url, `/v1/stream?topics=${encodeURIComponent(topics)}`, headers);
}

const changesOf = (stream: ReadStream) => stream.events.filter(({ event }) => event === "change");
const idsOf = (stream: ReadStream) => changesOf(stream).map(({ data }) => data.id);
const statusOf = (id: string, status: string) => (data: { id: string; object: { status: string } }) =>
  data.id === id && data.object.status === status;

/** Matches the initial state of an object, which is no change and therefore has no topic for all objects. */
const isStateOf = (id: string) => (data: { id: string; topics: string[] }) =>
  data.id === id && data.topics.length === 1;

/** A key with a policy that denies it an object. */
async function deniedKey(rule: { actions: string[]; resource_type: string; resource_id: string }) {
  const { id, key } = await project.newKey();
  const response = await project.api.post("/v1/resource-policies", {
    ...{ ...rule, effect: "deny", subject: `api_key:${id}` },
  });
  expect(response.status).toBe(201);
  return key;
}

describe("webhook deliveries in GET /v1/stream", () => {
  it("sends each change of a delivery once, with all its topics, and without its body", async () => {
    const id = await seedDelivery(world.connection, project.id, { status: "failed", environment_id: staging });
    const stream = await open(`webhook_deliveries,webhook_delivery:${id}`);
    await stream.next("open");
    expect((await project.api.post(`/v1/webhook-deliveries/${id}/retry`)).status).toBe(200);
    expect(await stream.next("change", statusOf(id, "pending"))).toMatchObject({
      topics: ["webhook_deliveries", `webhook_delivery:${id}`],
      type: "webhook_delivery.status",
      object: { event_type: "thing.happened", attempts: 0, environment_id: staging, last_status_code: null },
    });
    await world.tick("send-webhooks");
    const sent = await stream.next("change", (data) => data.id === id && data.object.attempts === 1);
    expect(JSON.stringify(sent)).not.toContain("body");
    stream.close();
  });

  it("resumes after Last-Event-ID: sends the current state of every delivery that changed meanwhile", async () => {
    const tenant = await world.project();
    const first = await open("webhook_deliveries", tenant.key);
    await seedDeliveries(world.connection, tenant.id, 4, { status: "failed" });
    await until("all of them", 20_000, () => changesOf(first).length === 4);
    first.close();
    const [, second] = changesOf(first);
    const [changed = ""] = idsOf(first);
    const created = await seedDelivery(world.connection, tenant.id, { status: "delivered" });
    await tenant.api.post(`/v1/webhook-deliveries/${changed}/retry`);
    const again = await open("webhook_deliveries", tenant.key, second?.id);
    await again.next("change", statusOf(changed, "pending"));
    expect(idsOf(again)).toEqual([...idsOf(first).slice(2), created, changed]);
    expect(again.events.some(({ event }) => event === "reset")).toBe(false);
    again.close();
  });

  it("requires webhooks:read, and an existing delivery of the caller's project", async () => {
    const { key } = await project.newKey({ scopes: ["runs:read"] });
    const own = await seedDelivery(world.connection, project.id);
    const foreign = await seedDelivery(world.connection, (await world.project()).id);
    for (const topic of ["webhook_deliveries", `webhook_delivery:${own}`]) {
      const response = await world.as(key).get(`/v1/stream?topics=${topic}`);
      expect([response.status, response.body.code]).toEqual([403, "scope_missing"]);
    }
    for (const id of [foreign, newId()]) {
      expect((await project.api.get(`/v1/stream?topics=webhook_delivery:${id}`)).status).toBe(404);
    }
  });

  it("A7 sends only what GET would return: nothing of another environment or project, nothing that a policy denies", async () => {
    const { key: bound } = await project.newKey({ environment_id: staging });
    const denied = await deniedKey({
      ...{ actions: ["webhooks:read"], resource_type: "environment", resource_id: staging },
    });
    const streams = await Promise.all([
      open("webhook_deliveries", bound),
      open("webhook_deliveries", denied),
      open("webhook_deliveries", (await world.project()).key),
      open("webhook_deliveries"),
    ]);
    const ofProject = await seedDelivery(world.connection, project.id);
    const ofStaging = await seedDelivery(world.connection, project.id, { environment_id: staging });
    const last = await seedDelivery(world.connection, project.id);
    const [toBound, toDenied, toOther, toAll] = streams as [ReadStream, ReadStream, ReadStream, ReadStream];
    await until("the last of them", 20_000, () => [toDenied, toAll].every((stream) => idsOf(stream).includes(last)));
    await until("the one of its environment", 20_000, () => idsOf(toBound).length > 0);
    // Changes that other transactions delay are sent late, so deliveries of earlier tests may arrive, too.
    const created = [ofProject, ofStaging, last];
    const receivedBy = (stream: ReadStream) => idsOf(stream).filter((id) => created.includes(id));
    expect(receivedBy(toBound)).toEqual([ofStaging]);
    expect(receivedBy(toDenied)).toEqual([ofProject, last]);
    expect(receivedBy(toAll)).toEqual(created);
    expect(idsOf(toOther)).toEqual([]);
    for (const stream of streams) stream.close();
  });
});

describe("batch operations in GET /v1/stream", () => {
  it("R11 sends the state of a named one and the changes of all, each change once", async () => {
    const id = await seedBatch(world.connection, project.id, { status: "running", total: 3, failed: 1 });
    const stream = await open(`batches,batch:${id}`);
    expect(await stream.next("change", isStateOf(id))).toMatchObject({
      topics: [`batch:${id}`],
      type: "batch.progress",
      object: { status: "running", processed: 1, total: 3, environment_id: null },
    });
    expect((await project.api.post(`/v1/batch-operations/${id}/cancel`)).status).toBe(200);
    const canceled = await stream.next("change", statusOf(id, "canceled"));
    expect(canceled.topics).toEqual(["batches", `batch:${id}`]);
    // Its creation may be sent as well, if other transactions delayed it until the stream was open.
    expect(changesOf(stream).filter(({ data }) => statusOf(id, "canceled")(data))).toHaveLength(1);
    expect(changesOf(stream).filter(({ data }) => isStateOf(id)(data))).toHaveLength(1);
    stream.close();
  });

  it("R11 sends a bulk cancel from its creation to its end", async () => {
    const tenant = await world.project();
    const stream = await open("batches", tenant.key);
    for (let n = 0; n < 3; n++) await seedRun(world.connection, tenant.id);
    const { id } = (await tenant.api.post("/v1/runs/bulk-cancel-all", { filter: { status: "pending" } })).body;
    await stream.next("change", statusOf(id, "pending"));
    for (let pass = 0; pass < 3; pass++) await world.tick("work-on-batches");
    const last = await stream.next("change", statusOf(id, "completed"));
    expect(last.object).toMatchObject({ kind: "cancel_all", total: 3, processed: 3, succeeded: 3 });
    stream.close();
  });

  it("resumes after Last-Event-ID and skips none", async () => {
    const tenant = await world.project();
    const first = await open("batches", tenant.key);
    const known = await seedBatch(world.connection, tenant.id, { status: "pending", failed: 0 });
    await first.next("change", statusOf(known, "pending"));
    first.close();
    const created = await seedBatch(world.connection, tenant.id, { status: "completed", failed: 0 });
    await tenant.api.post(`/v1/batch-operations/${known}/cancel`);
    const again = await open(`batches,batch:${known}`, tenant.key, changesOf(first)[0]?.id);
    await again.next("change", statusOf(known, "canceled"));
    expect(idsOf(again)).toEqual([created, known]);
    again.close();
  });

  it("are hidden from a key of another environment, from callers denied by a policy, and from tokens", async () => {
    const { key: bound } = await project.newKey({ environment_id: staging });
    const id = await seedBatch(world.connection, project.id);
    const denied = await deniedKey({ actions: ["runs:read"], resource_type: "batch_operation", resource_id: id });
    const [toBound, toDenied, toAll] = [
      await open("batches", bound),
      await open("batches", denied),
      await open("batches"),
    ];
    const move = `
      with changed as (
        update batch_operations set prev_status = status, environment_id = $2 where id = $1 returning *
      )
      ${appendStates("batch_operation")}`;
    await runSql(world.connection, move, [id, null]);
    const ofStaging = await seedBatch(world.connection, project.id);
    await runSql(world.connection, move, [ofStaging, staging]);
    const ofEnvironment = (data: { object: { environment_id: string } }) => data.object.environment_id === staging;
    for (const stream of [toBound, toDenied, toAll]) await stream.next("change", ofEnvironment);
    expect([idsOf(toBound), idsOf(toDenied).includes(id), idsOf(toAll).includes(id)]).toEqual([
      [ofStaging],
      false,
      true,
    ]);
    for (const stream of [toBound, toDenied, toAll]) stream.close();
    const { token } = (await project.api.post("/v1/tokens", { scopes: ["runs:read"], tags: { a: "b" } })).body;
    expect((await world.as(token).get("/v1/stream?topics=batches")).status).toBe(403);
  });
});

describe("run.status and workflow_run.decision", () => {
  it("A7 include the environment, and are hidden from callers denied by a policy", async () => {
    const denied = await deniedKey({
      ...{ actions: ["runs:read"], resource_type: "environment", resource_id: staging },
    });
    const [toDenied, toAll] = [await open("runs", denied), await open("runs")];
    const hidden = await seedRun(world.connection, project.id, { environment_id: staging });
    const shown = await seedRun(world.connection, project.id);
    const change = await toAll.next("change", statusOf(hidden, "pending"));
    expect([change.type, change.object.environment_id]).toEqual(["run.status", staging]);
    await toDenied.next("change", statusOf(shown, "pending"));
    expect(idsOf(toDenied)).toEqual([shown]);
    for (const stream of [toDenied, toAll]) stream.close();
  });
});

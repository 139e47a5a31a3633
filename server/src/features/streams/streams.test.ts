import { beforeAll, describe, expect, it } from "vitest";
import { workflowBench } from "../../../test/costs/workflow-bench.ts";
import { type ReadStream, readStream } from "../../../test/outside/read-stream.ts";
import { runningRun } from "../../../test/seed/running-run.ts";
import { seedJob, seedRun, seedRuns } from "../../../test/seed/seed-run.ts";
import { seedTrigger } from "../../../test/seed/seed-trigger.ts";
import { waitingRun } from "../../../test/seed/waiting-run.ts";
import { sizeOf } from "../../../test/world/size.ts";
import { until } from "../../../test/world/until.ts";
import { makeWorld, type TestProject, type World } from "../../../test/world/world.ts";
import { positionNow } from "../../platform/changelog/sequence-changes.ts";
import { newId } from "../../platform/ids.ts";
import { endRevoked, sendKeepalives } from "../../platform/streams/event-stream.ts";

let world: World;
let project: TestProject;
beforeAll(async () => {
  world = await makeWorld();
  project = await world.project();
});

type Asked = { key?: string; last_event_id?: string; url?: string };

function open(topics: string, { key = project.key, last_event_id, url = world.url }: Asked = {}): Promise<ReadStream> {
  const headers = { authorization: `Bearer ${key}`, ...(last_event_id && { "last-event-id": last_event_id }) };
  return readStream(url, `/v1/stream?topics=${encodeURIComponent(topics)}`, headers);
}

const ask = (query: string, key = project.key) => world.as(key).get(`/v1/stream${query}`);
const changesOf = (stream: ReadStream) => stream.events.filter(({ event }) => event === "change");
const statusOf = (id: string, status: string) => (data: { id: string; object: { status: string } }) =>
  data.id === id && data.object.status === status;

describe("GET /v1/stream", () => {
  it("T13 opens with its topics, then sends each change of a run once, with all its topics", async () => {
    const id = await seedRun(world.connection, project.id);
    const stream = await open(`runs,run:${id}`);
    expect([stream.status, stream.headers["content-type"]]).toEqual([200, "text/event-stream"]);
    expect(await stream.next("open")).toEqual({ topics: ["runs", `run:${id}`] });
    await project.api.post(`/v1/runs/${id}/pause`);
    await project.api.post(`/v1/runs/${id}/cancel`);
    const canceled = await stream.next("change", statusOf(id, "canceled"));
    expect(canceled).toMatchObject({
      topics: ["runs", `run:${id}`],
      type: "run.status",
      object: { from_status: "paused", ordinal: 3, attempt: 0, workflow_run_id: null },
    });
    const ofRun = changesOf(stream).filter(({ data }) => data.id === id && data.object.ordinal > 1);
    expect(ofRun.map(({ data }) => data.object.status)).toEqual(["paused", "canceled"]);
    stream.close();
  });

  it("sends no payload, result or error text", async () => {
    const id = await seedRun(world.connection, project.id, { payload: { secret: "s3cret" } });
    const stream = await open(`run:${id}`);
    await project.api.post(`/v1/runs/${id}/cancel`, { reason: "s3cret reason" });
    await stream.next("change", statusOf(id, "canceled"));
    expect(JSON.stringify(stream.events)).not.toContain("s3cret");
    stream.close();
  });

  it("sends the progress that a run reports, the last one at once, and its log lines", async () => {
    const run = await runningRun(world, project);
    await run.sdk.post("/progress", { percent: 10, message: "begun" });
    const stream = await open(`run:${run.run_id},run_logs:${run.run_id}`);
    const progress = (percent: number) => (data: { type: string; object: { percent: number } }) =>
      data.type === "run.progress" && data.object.percent === percent;
    await stream.next("change", progress(10));
    await run.sdk.post("/progress", { percent: 60 });
    await stream.next("change", progress(60));
    const sent = await run.sdk.post("/log", { message: "line one" });
    expect(sent.status).toBeLessThan(300);
    const line = await stream.next("change", (data) => data.type === "run.log");
    expect(line).toMatchObject({
      topics: [`run_logs:${run.run_id}`],
      id: run.run_id,
      object: { level: "info", message: "line one" },
    });
    stream.close();
  });

  it("sends the decisions about workflow runs and their statuses until they end", async () => {
    const bench = await workflowBench(world, project);
    const stream = await open("workflow_runs");
    const { run } = await bench.run(await bench.save([{ step_ref: "ok", type: "approval" }]));
    await project.api.post(`/v1/workflow-runs/${run.id}/steps/ok/approve`, {});
    await world.runUntilIdle();
    const last = await stream.next("change", statusOf(run.id, "completed"));
    expect(last).toMatchObject({ topics: ["workflow_runs"], type: "workflow_run.decision" });
    const ordinals = changesOf(stream).map(({ data }) => data.object.ordinal);
    expect(ordinals).toEqual(ordinals.map((_, at) => at + 1));
    stream.close();
  });

  it("sends waits that begin, of a step and of a job run", async () => {
    const stream = await open("events");
    const bench = await workflowBench(world, project);
    const event_key = `begins-${newId()}`;
    const { run } = await bench.run(await bench.save([{ step_ref: "w", type: "wait_for_event", event_key }]));
    const ofStep = await stream.next("change", ({ object }) => object.event_key === event_key);
    expect(ofStep).toMatchObject({ object: { status: "waiting", workflow_run_id: run.id } });
    const { trigger } = await waitingRun(world, project);
    await stream.next("change", statusOf(trigger.id, "waiting"));
    stream.close();
  });

  it("A7 sends no waits of runs that a policy denies, and no tags", async () => {
    const tenant = await world.project();
    const key = await tenant.newKey();
    const job_id = (await seedJob(world.connection, tenant.id)).id;
    const deny = { effect: "deny", actions: ["runs:read"], subject: `api_key:${key.id}` };
    await tenant.api.post("/v1/resource-policies", { ...deny, resource_type: "job", resource_id: job_id });
    await tenant.api.post("/v1/tag-policies", { ...deny, tag_key: "sec" });
    const byTag = await seedRun(world.connection, tenant.id, { tags: { sec: "S" } });
    const byJob = await seedRun(world.connection, tenant.id, { job_id });
    const stream = await open("events", { key: key.key });
    await stream.next("open");
    const triggers: Awaited<ReturnType<typeof seedTrigger>>[] = [];
    for (const run of [{ job_run_id: byTag }, { job_run_id: byJob }, {}])
      triggers.push(await seedTrigger(world.connection, tenant.id, run));
    for (const { event_key } of triggers) await tenant.api.post(`/v1/events/${event_key}/send`, {});
    const { object } = await stream.next("change", statusOf(triggers[2]?.id ?? "", "received"));
    expect(object).not.toHaveProperty("tags");
    expect(changesOf(stream).filter(({ data }) => data.id !== triggers[2]?.id)).toEqual([]);
    for (const { event_key } of triggers.slice(0, 2))
      expect((await ask(`?topics=event:${event_key}`, key.key)).status).toBe(404);
    const { body } = await ask(`?topics=run:${byTag}`, key.key);
    expect(body.errors).toMatchObject([{ location: "query.topics", value: `run:${byTag}` }]);
    stream.close();
  });

  it("sends event triggers: for a key its state and each change, for all each change", async () => {
    const { event_key, id } = await seedTrigger(world.connection, project.id, { event_key: `order,${newId()}` });
    const topic = `event:${encodeURIComponent(event_key)}`;
    const stream = await open(`events,${topic}`);
    const first = await stream.next("change", statusOf(id, "waiting"));
    expect(first).toMatchObject({ topics: [topic], type: "event.status", object: { event_key } });
    await project.api.post(`/v1/events/${encodeURIComponent(event_key)}/send`, { payload: { secret: "s3cret" } });
    expect((await stream.next("change", statusOf(id, "received"))).topics).toEqual(["events", topic]);
    expect(JSON.stringify(stream.events)).not.toContain("s3cret");
    stream.close();
  });

  it("T13 sends keepalives", async () => {
    const stream = await open("runs");
    await stream.next("open");
    sendKeepalives(world.ctx);
    await stream.next("keepalive");
    stream.close();
  });

  it("ends when its key is revoked", async () => {
    const { id, key } = await project.newKey();
    const stream = await open("runs", { key });
    await project.api.delete(`/v1/api-keys/${id}`);
    await endRevoked(world.ctx);
    await stream.ended();
  });

  it("works across instances", async () => {
    const other = await world.anotherInstance();
    const id = await seedRun(world.connection, project.id);
    const stream = await open(`run:${id}`, { url: other.url });
    await project.api.post(`/v1/runs/${id}/cancel`);
    await stream.next("change", statusOf(id, "canceled"));
    stream.close();
  });
});

describe("access to topics", () => {
  it.each([
    ["", "query.topics"],
    ["?topics=", "query.topics"],
    ["?topics=nothing", "query.topics"],
    ["?topics=runs,", "query.topics"],
    ["?topics=run", "query.topics"],
    ["?topics=runs:1", "query.topics"],
    ["?topics=run:1", "query.topics"],
    ["?topics=event:%25", "query.topics"],
    ["?topics=__proto__", "query.topics"],
  ])("422 for %s", async (query, location) => {
    const response = await ask(query);
    expect([response.status, response.body.errors[0].location]).toEqual([422, location]);
  });

  it("422 for more than fifty topics", async () => {
    const response = await ask(`?topics=${Array.from({ length: 51 }, () => `run:${newId()}`).join()}`);
    expect([response.status, response.body.errors[0].location]).toEqual([422, "query.topics"]);
  });

  it("404 for an unknown object, and for one of another project", async () => {
    const other = await world.project();
    const [run, trigger] = [await seedRun(world.connection, other.id), await seedTrigger(world.connection, other.id)];
    const foreign = [`run:${run}`, `run_logs:${run}`, `event:${trigger.event_key}`];
    const absent = ["run", "run_logs", "workflow_run", "batch", "event"].map((kind) => `${kind}:${newId()}`);
    for (const topic of [...foreign, ...absent]) expect((await ask(`?topics=${topic}`)).status, topic).toBe(404);
  });

  it("each topic requires its scope", async () => {
    const { key } = await project.newKey({ scopes: ["runs:read"] });
    for (const topic of ["workflow_runs", "events"]) {
      const response = await ask(`?topics=runs,${topic}`, key);
      expect([response.status, response.body.code]).toEqual([403, "scope_missing"]);
    }
    const stream = await open("runs", { key });
    expect(stream.status).toBe(200);
    stream.close();
  });

  it("a key bound to an environment receives only that environment's changes, and a project only its own", async () => {
    const { body: environments } = await project.api.get("/v1/environments");
    const staging = environments.data.find(({ slug }: { slug: string }) => slug === "staging").id;
    const { key } = await project.newKey({ environment_id: staging });
    const other = await world.project();
    const [bound, foreign, all] = [
      await open("runs,events", { key }),
      await open("runs,events", { key: other.key }),
      await open("runs"),
    ];
    const hidden = await seedRun(world.connection, project.id);
    const shown = await seedRun(world.connection, project.id, { environment_id: staging });
    await bound.next("change", statusOf(shown, "pending"));
    await all.next("change", statusOf(shown, "pending"));
    expect(changesOf(bound).map(({ data }) => data.id)).toEqual([shown]);
    expect(changesOf(all).map(({ data }) => data.id)).toEqual(expect.arrayContaining([hidden, shown]));
    expect(changesOf(foreign)).toEqual([]);
    expect((await ask(`?topics=run:${hidden}`, key)).status).toBe(404);
    for (const stream of [bound, foreign, all]) stream.close();
  });
});

describe("Last-Event-ID", () => {
  const idsIn = (stream: ReadStream) => changesOf(stream).map(({ id }) => id);

  /** A stream that has received `runs` new runs. */
  async function receivedRuns(tenant: TestProject, runs: number): Promise<ReadStream> {
    const stream = await open("runs", { key: tenant.key });
    for (let n = 0; n < runs; n++) await seedRun(world.connection, tenant.id);
    await until("all of them", 20_000, () => changesOf(stream).length === runs);
    return stream;
  }

  it("resumes after it: skips nothing and repeats nothing", async () => {
    const tenant = await world.project();
    const first = await receivedRuns(tenant, 6);
    first.close();
    for (let n = 0; n < 3; n++) await seedRun(world.connection, tenant.id);
    const ids = idsIn(first);
    const again = await open("runs", { key: tenant.key, last_event_id: ids[2] ?? "" });
    await until("the rest", 20_000, () => changesOf(again).length >= 6);
    await seedRun(world.connection, tenant.id);
    await until("what is new", 20_000, () => changesOf(again).length >= 7);
    expect(idsIn(again).slice(0, 3)).toEqual(ids.slice(3));
    expect(new Set(idsIn(again)).size).toBe(7);
    expect(changesOf(again)).toHaveLength(7);
    again.close();
  });

  it("resumes in the middle of a transaction, and with the query parameter instead of the header", async () => {
    const tenant = await world.project();
    const first = await open("runs", { key: tenant.key });
    await seedRuns(
      world.connection,
      tenant.id,
      Array.from({ length: 5 }, () => ({ status: "completed" as const })),
    );
    await until("all of them", 20_000, () => changesOf(first).length === 10);
    first.close();
    const ids = idsIn(first);
    expect(new Set(ids.map((id) => id?.split(".")[0])).size).toBe(1);
    const query = `/v1/stream?topics=runs&last_event_id=${ids[3]}`;
    const again = await readStream(world.url, query, { authorization: `Bearer ${tenant.key}` });
    await until("the rest", 20_000, () => changesOf(again).length >= 6);
    expect(idsIn(again)).toEqual(ids.slice(4));
    again.close();
  });

  it("resumes from the id of `open`, before any change was sent", async () => {
    const tenant = await world.project();
    const first = await open("runs", { key: tenant.key });
    await first.next("open");
    const last_event_id = first.events[0]?.id ?? "";
    first.close();
    const id = await seedRun(world.connection, tenant.id);
    const again = await open("runs", { key: tenant.key, last_event_id });
    await again.next("change", statusOf(id, "pending"));
    again.close();
  });

  it("catches up with thousands of changes without being closed", async () => {
    const tenant = await world.project();
    const MANY = sizeOf(2_500, 6_000);
    const first = await receivedRuns(tenant, 1);
    first.close();
    await seedRuns(
      world.connection,
      tenant.id,
      Array.from({ length: MANY }, () => ({})),
    );
    const again = await open("runs", { key: tenant.key, last_event_id: idsIn(first)[0] ?? "" });
    await until("all of them", 20_000, () => changesOf(again).length >= MANY);
    expect(new Set(idsIn(again)).size).toBe(MANY);
    expect(again.hasEnded()).toBe(false);
    again.close();
  });

  it("an id older than the log, or beyond it, gets `reset` and continues from now", async () => {
    const tenant = await world.project();
    const now = Date.now();
    const beyond = (await positionNow(world.ctx)) + 100;
    for (const last_event_id of [`5.${now - 3_700_000}`, `${beyond}.${now}`, `999999999999999.${now}`]) {
      const stream = await open("runs", { key: tenant.key, last_event_id });
      expect(await stream.next("reset")).toEqual({ topics: ["runs"] });
      const id = await seedRun(world.connection, tenant.id);
      await stream.next("change", statusOf(id, "pending"));
      stream.close();
    }
  });

  it("an id from before a restore gets `reset`, also once the log has other changes at its position", async () => {
    const tenant = await world.project();
    await seedRun(world.connection, tenant.id);
    const position = await positionNow(world.ctx);
    const now = Date.now();
    for (const last_event_id of [`${position}.${now}.0.${newId()}.1`, `${position}.${now - 60_000}`]) {
      const stream = await open("runs", { key: tenant.key, last_event_id });
      expect(await stream.next("reset")).toEqual({ topics: ["runs"] });
      stream.close();
    }
  });

  it("`reset` names topics that have no log", async () => {
    const first = await open("events,runs");
    await first.next("open");
    first.close();
    const again = await open("events,runs", { last_event_id: first.events[0]?.id ?? "" });
    expect(await again.next("reset")).toEqual({ topics: ["events"] });
    again.close();
  });

  it.each(["x", "1", "1.2.3", "-1.5", `1.5.0.${newId()}`, `1.5.9.${newId()}.1`])("400 for %s", async (id) => {
    const response = await world.as(project.key).get("/v1/stream?topics=runs", { headers: { "last-event-id": id } });
    expect([response.status, response.body.code]).toEqual([400, "bad_request"]);
  });
});

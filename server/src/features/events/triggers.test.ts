import { beforeAll, describe, expect, it } from "vitest";
import { sendHttp } from "../../../test/outside/http-request.ts";
import { seedRun } from "../../../test/seed/seed-run.ts";
import { type SeedTrigger, seedTrigger } from "../../../test/seed/seed-trigger.ts";
import { seedWorkflowRun } from "../../../test/seed/seed-workflow-run.ts";
import { runSql } from "../../../test/world/database.ts";
import { INTERNAL_SECRET, makeWorld, type TestProject, type World } from "../../../test/world/world.ts";
import { newId } from "../../platform/ids.ts";

let world: World;
let project: TestProject;
beforeAll(async () => {
  world = await makeWorld();
  await world.clock.set("2030-01-01T00:00:00Z");
  project = await world.project();
});

const seed = (trigger: SeedTrigger = {}, { id } = project) => seedTrigger(world.connection, id, trigger);
const at = (event_key: string) => `/v1/events/${encodeURIComponent(event_key)}`;

describe("GET /v1/runs/{runID}/events", () => {
  it("R13 lists what the run has waited for, oldest first, in pages, and nothing of other runs", async () => {
    const first = await seed({ status: "received", payload: { n: 1 } });
    const second = await seed({ job_run_id: first.job_run_id ?? "" });
    await seed();
    const path = `/v1/runs/${first.job_run_id}/events`;
    const { status, body } = await project.api.get(path);
    expect([status, body.data.map(({ id }: { id: string }) => id)]).toEqual([200, [first.id, second.id]]);
    expect(body.data[0]).toMatchObject({ status: "received", payload: { n: 1 }, job_run_id: first.job_run_id });
    expect(body.$schema).toBe(`${world.url}/schemas/EventTriggerList.json`);
    const page = (await project.api.get(`${path}?limit=1&order=desc`)).body;
    expect([page.data[0].id, page.has_more]).toEqual([second.id, true]);
    const next = (await project.api.get(`${path}?limit=1&order=desc&cursor=${page.next_cursor}`)).body;
    expect([next.data[0].id, next.has_more]).toEqual([first.id, false]);
  });

  it("R13 404 for an unknown run", async () => {
    for (const id of [newId(), "no-id"]) expect((await project.api.get(`/v1/runs/${id}/events`)).status).toBe(404);
  });
});

describe("GET /v1/events/{eventKey}", () => {
  it("T1 returns every field", async () => {
    const { id, event_key, job_run_id } = await seed({ notify_url: "https://example.com/hook" });
    const { status, body } = await project.api.get(at(event_key));
    expect(status).toBe(200);
    expect(body).toEqual({
      $schema: `${world.url}/schemas/EventTrigger.json`,
      id,
      event_key,
      project_id: project.id,
      environment_id: expect.any(String),
      source_type: "job_run",
      trigger_type: "event",
      wait_kind: "event",
      workflow_run_id: null,
      workflow_step_run_id: null,
      job_run_id,
      status: "waiting",
      timeout_secs: 3_600,
      payload: null,
      request_payload: null,
      error: null,
      message: null,
      notify_url: "https://example.com/hook",
      sent_by: null,
      sent_by_id: null,
      callback_url: expect.stringMatching(new RegExp(`^${world.url}/v1/events/callback/[\\w-]{86}$`)),
      expires_at: "2030-01-01T01:00:00.000Z",
      requested_at: "2030-01-01T00:00:00.000Z",
      received_at: null,
      finished_at: null,
      created_at: "2030-01-01T00:00:00.000Z",
      updated_at: "2030-01-01T00:00:00.000Z",
    });
  });

  it("T1 shows the received payload under both of its names", async () => {
    const { event_key } = await seed({ status: "received", payload: { a: [1, null] } });
    expect((await project.api.get(at(event_key))).body).toMatchObject({
      status: "received",
      payload: { a: [1, null] },
      request_payload: { a: [1, null] },
      callback_url: null,
      finished_at: "2030-01-01T00:00:00.000Z",
    });
  });

  it("T1 finds the waiting trigger, else the newest", async () => {
    const event_key = `again-${newId()}`;
    await seed({ event_key, status: "timed_out" });
    const newest = await seed({ event_key, status: "received" });
    expect((await project.api.get(at(event_key))).body.id).toBe(newest.id);
    const waiting = await seed({ event_key });
    await seed({ event_key, status: "canceled" });
    expect((await project.api.get(at(event_key))).body.id).toBe(waiting.id);
  });

  it("T1 finds a sleep by the key derived from its id, and only under its own kind", async () => {
    const { id, event_key } = await seed({ wait_kind: "sleep" });
    expect(event_key).toBe(`sleep:${id}`);
    expect((await project.api.get(at(event_key))).body).toMatchObject({
      id,
      trigger_type: "sleep",
      callback_url: null,
    });
    expect((await project.api.get(at(`child:${id}`))).status).toBe(404);
    const user = await seed({ event_key });
    expect((await project.api.get(at(event_key))).body.id).toBe(user.id);
  });

  it("T11 reads the key from its path, decoded once, up to 512 code points", async () => {
    const keys = [
      "a/b",
      "a%2Fb",
      "100%",
      "ä ö?#&=+",
      "😀".repeat(512),
      "stats/x",
      "callback",
      "prefix",
      "x".repeat(512),
    ];
    for (const event_key of keys) {
      const { id } = await seed({ event_key });
      expect((await project.api.get(at(event_key))).body).toMatchObject({ id, event_key });
    }
  });

  it.each([
    ["a dot", "%2E", 'must not be "."'],
    ["two dots", "%2E%2E", 'must not be ".."'],
    ["two bare dots", "..", 'must not be ".."'],
    ["a line break", "a%0Ab", "must not contain control characters"],
    ["a unit separator", "%1F", "must not contain control characters"],
    ["513 letters", "x".repeat(513), "must have at most 512 characters"],
    ["513 emoji", "%F0%9F%98%80".repeat(513), "must have at most 512 characters"],
  ])("T11 400 for %s, everywhere", async (_, key, message) => {
    const headers = { authorization: `Bearer ${project.key}`, "content-type": "application/json" };
    const requested = [
      ["GET", `/v1/events/${key}`],
      ["DELETE", `/v1/events/${key}`],
      ["GET", `/v1/events/${key}/stream`],
      ["POST", `/v1/events/${key}/send`],
      ["POST", `/v1/events/prefix/${key}/send`],
    ];
    for (const [method = "", path = ""] of requested) {
      const response = await sendHttp(world.url, { method, path, headers, body: method === "POST" ? "{}" : undefined });
      const { code, errors } = JSON.parse(response.body);
      expect([response.status, code, errors[0].message], path).toEqual([400, "invalid_event_key", message]);
    }
  });

  it("T11 400 for an empty key", async () => {
    const response = await project.api.post("/v1/events//send", {});
    expect([response.status, response.body.code]).toEqual([400, "invalid_event_key"]);
    expect((await project.api.post("/v1/events/%00/send", {})).body.code).toBe("invalid_text");
  });

  it("A2 404 for an unknown key, and for one of another project", async () => {
    const other = await world.project();
    const { event_key } = await seed({}, other);
    for (const key of [event_key, newId()]) {
      const response = await project.api.get(at(key));
      expect([response.status, response.body.detail]).toEqual([404, "There is no such event trigger."]);
    }
  });

  it("A11 needs events:read, and shows the callback_url to callers who may send", async () => {
    const { event_key } = await seed();
    const reader = await project.newKey({ scopes: ["events:read"] });
    expect((await reader.api.get(at(event_key))).body.callback_url).toBeNull();
    const both = await project.newKey({ scopes: ["events:read", "events:send"] });
    expect((await both.api.get(at(event_key))).body.callback_url).toMatch(/callback/);
    const sender = await project.newKey({ scopes: ["events:send", "events:write"] });
    expect((await sender.api.get(at(event_key))).body.code).toBe("scope_missing");
    const internal = await world.admin.get(`${at(event_key)}?project_id=${project.id}`);
    expect(internal.body.callback_url).toMatch(/callback/);
  });

  it("A2 shows no callback_url to a key that reads another project of its organization", async () => {
    const [mine, theirs] = [await world.project({ org_id: "acme" }), await world.project({ org_id: "acme" })];
    const { event_key } = await seed({}, theirs);
    const { api } = await mine.newKey({ org_id: "acme" });
    const { status, body } = await api.get(`${at(event_key)}?project_id=${theirs.id}`);
    expect([status, body.callback_url]).toEqual([200, null]);
  });

  it("A1 needs a project with the internal secret: keys are not unique over projects", async () => {
    const { event_key } = await seed();
    const response = await world.anonymous.get(at(event_key), { headers: { "x-internal-secret": INTERNAL_SECRET } });
    expect(response.body.code).toBe("project_required");
  });
});

describe("GET /v1/events", () => {
  const idsOf = async (query: string, { api } = project) =>
    ((await api.get(`/v1/events?${query}`)).body.data as { id: string }[]).map(({ id }) => id);

  it("T12 lists newest first, in pages, each once", async () => {
    const own = await world.project();
    const ids: string[] = [];
    for (let i = 0; i < 7; i++) ids.push((await seed({ status: i % 2 ? "waiting" : "received" }, own)).id);
    const seen: string[] = [];
    for (let cursor: string | null = ""; cursor !== null; ) {
      const { body } = await own.api.get(`/v1/events?limit=3${cursor && `&cursor=${cursor}`}`);
      seen.push(...body.data.map(({ id }: { id: string }) => id));
      cursor = body.next_cursor;
    }
    expect(seen).toEqual(ids.toReversed());
    expect(await idsOf("order=asc", own)).toEqual(ids);
  });

  it("T12 filters by status, source, type, workflow run and job run", async () => {
    const own = await world.project();
    const workflow_run_id = newId();
    const step = await seed({ workflow_run_id }, own);
    const sleep = await seed({ workflow_run_id, wait_kind: "sleep", status: "received" }, own);
    const run = await seed({ status: "canceled" }, own);
    const late = await seed({ status: "timed_out" }, own);
    for (const [query, expected] of [
      ["status=waiting", [step]],
      ["status=received", [sleep]],
      ["status=timed_out", [late]],
      ["status=canceled", [run]],
      ["source_type=workflow_step", [sleep, step]],
      ["source_type=job_run", [late, run]],
      ["trigger_type=sleep", [sleep]],
      [`workflow_run_id=${workflow_run_id}`, [sleep, step]],
      [`workflow_run_id=${newId()}`, []],
      [`workflow_run_id=${newId()},${workflow_run_id}`, [sleep, step]],
      ["wait_kind=sleep", [sleep]],
      ["environment_id=staging", []],
      [`job_run_id=${run.job_run_id}`, [run]],
      ["source_type=job_run&status=canceled", [run]],
      [`job_run_id=${run.job_run_id},${late.job_run_id}`, [late, run]],
    ] as const) {
      expect(await idsOf(query, own), query).toEqual(expected.map(({ id }) => id));
    }
  });

  it("T12 matches event_key_prefix literally, among waiting and ended ones", async () => {
    const own = await world.project();
    const keys = ["a%b.1", "a%b.2", "axb.1", "a_b", "a", "ä1", "ä2", "Ä1", "a\\b", "zz\u{10ffff}1"];
    const ids = new Map<string, string>();
    for (const [i, event_key] of keys.entries())
      ids.set(event_key, (await seed({ event_key, status: i % 2 ? "waiting" : "received" }, own)).id);
    const starting = async (prefix: string) => idsOf(`order=asc&event_key_prefix=${encodeURIComponent(prefix)}`, own);
    for (const prefix of ["a%b", "a_", "ä", "a\\", "zz\u{10ffff}", "a", "%", "_", "nothing"]) {
      const expected = keys.filter((key) => key.startsWith(prefix)).map((key) => ids.get(key));
      expect(await starting(prefix), prefix).toEqual(expected);
    }
  });

  it("T12 sorts waiting triggers by expiry, soonest first, in pages, each once", async () => {
    const own = await world.project();
    const ids: string[] = [];
    for (const timeout_secs of [5_000, 50, 700, 700, 6, 90]) ids.push((await seed({ timeout_secs }, own)).id);
    await seed({ status: "received", timeout_secs: 1 }, own);
    await seed({ timeout_secs: 1 });
    const soonest = [4, 1, 5, 2, 3, 0].map((nth) => ids[nth]);
    const seen: string[] = [];
    for (let cursor: string | null = ""; cursor !== null; ) {
      const { body } = await own.api.get(
        `/v1/events?status=waiting&sort=expires_at&limit=2${cursor && `&cursor=${cursor}`}`,
      );
      seen.push(...body.data.map(({ id }: { id: string }) => id));
      cursor = body.next_cursor;
    }
    expect(seen).toEqual(soonest);
    expect(await idsOf("status=waiting&sort=expires_at&order=desc", own)).toEqual(soonest.toReversed());
  });

  it.each(["", "&status=received", "&order=desc"])(
    "T12 422 for sort=expires_at%s, naming the required filter",
    async (more) => {
      const { status, body } = await project.api.get(`/v1/events?sort=expires_at${more}`);
      expect(status).toBe(422);
      expect(body.errors).toEqual([
        { location: "query.sort", message: "`expires_at` needs `status=waiting`", value: "expires_at" },
      ]);
    },
  );

  it.each(["status=done", "source_type=run", "workflow_run_id=x", "event_key_prefix=", "state=waiting", "sort=id"])(
    "T12 422 for %s",
    async (query) => {
      expect((await project.api.get(`/v1/events?${query}`)).status).toBe(422);
    },
  );

  it("A2 shows nothing of other projects, and needs events:read", async () => {
    const [own, other] = [await world.project(), await world.project()];
    await seed({}, other);
    expect(await idsOf("", own)).toEqual([]);
    const { api } = await own.newKey({ scopes: ["events:send"] });
    expect((await api.get("/v1/events")).body.code).toBe("scope_missing");
  });
});

describe("GET /v1/events/stats", () => {
  it("T12 counts the triggers of the project by status", async () => {
    const own = await world.project();
    const { status, body } = await own.api.get("/v1/events/stats");
    expect(status).toBe(200);
    expect(body).toEqual({
      $schema: `${world.url}/schemas/EventStats.json`,
      ...{ waiting: 0, received: 0, timed_out: 0, canceled: 0 },
    });
    for (const status of ["waiting", "waiting", "received", "timed_out", "canceled", "canceled", "canceled"] as const)
      await seed({ status }, own);
    await seed({ wait_kind: "sleep" }, own);
    expect((await own.api.get("/v1/events/stats")).body).toMatchObject({
      ...{ waiting: 3, received: 1, timed_out: 1, canceled: 3 },
    });
  });

  it("counts those of one environment on request", async () => {
    const own = await world.project();
    const environment_id: string = (await own.api.get("/v1/environments/staging")).body.id;
    await seed({}, own);
    await seed({ environment_id, status: "received" }, own);
    const stats = async (name: string) => (await own.api.get(`/v1/events/stats?environment_id=${name}`)).body;
    expect(await stats("staging")).toMatchObject({ waiting: 0, received: 1 });
    expect(await stats("production")).toMatchObject({ waiting: 1, received: 0 });
  });

  it("T12 takes precedence over a key of that name, which can still be sent to and listed", async () => {
    const own = await world.project();
    const { id } = await seed({ event_key: "stats" }, own);
    expect((await own.api.get("/v1/events/stats")).body.waiting).toBe(1);
    expect((await own.api.get("/v1/events?event_key_prefix=stats")).body.data[0].id).toBe(id);
    expect((await own.api.post("/v1/events/stats/send", { payload: 1 })).body).toMatchObject({
      id,
      status: "received",
    });
  });
});

describe("a key bound to an environment", () => {
  it("A2 sees, counts and cancels only the triggers of that environment", async () => {
    const own = await world.project();
    const environment_id: string = (await own.api.get("/v1/environments/staging")).body.id;
    const { api } = await own.newKey({ environment_id });
    const here = await seed({ environment_id }, own);
    const there = await seed({}, own);
    const sleepThere = await seed({ wait_kind: "sleep" }, own);
    expect((await api.get("/v1/events")).body.data).toMatchObject([{ id: here.id }]);
    expect((await api.get("/v1/events/stats")).body).toMatchObject({ waiting: 1, received: 0 });
    expect((await own.api.get("/v1/events/stats")).body).toMatchObject({ waiting: 3 });
    for (const { event_key } of [there, sleepThere]) {
      expect((await api.get(at(event_key))).status).toBe(404);
      expect((await api.get(`${at(event_key)}/stream`)).status).toBe(404);
      expect((await api.delete(at(event_key))).status).toBe(404);
      expect((await api.post(`${at(event_key)}/send`, { payload: 1 })).status).toBe(404);
    }
    expect((await own.api.get(at(there.event_key))).body.status).toBe("waiting");
    expect((await api.post("/v1/events/prefix/key-/send", { payload: 1 })).body).toMatchObject({ resolved: 1 });
    expect((await own.api.get(at(here.event_key))).body.status).toBe("received");
    expect((await own.api.get(at(there.event_key))).body.status).toBe("waiting");
  });
});

describe("policies that deny the waiting run", () => {
  const denied = async (action: string, owner: TestProject) => {
    const key = await owner.newKey();
    const tag = { effect: "deny", actions: [action], subject: `api_key:${key.id}`, tag_key: "sec" };
    expect((await owner.api.post("/v1/tag-policies", tag)).status).toBe(201);
    return key.api;
  };
  const secret = { status: "received", payload: { word: "hidden-word" } } as const;

  it("A7 hide the result of an awaited child, but not the wait", async () => {
    const owner = await world.project();
    const child = await seedRun(world.connection, owner.id, { tags: { sec: "S" } });
    const wait = await seed({ ...secret, wait_kind: "child" }, owner);
    await runSql(world.connection, "update event_triggers set child_run_id = $2 where id = $1", [wait.id, child]);
    const paths = [`/v1/runs/${wait.job_run_id}/events`, "/v1/events", at(`child:${wait.id}`)];
    for (const path of paths) expect((await owner.api.get(path)).text).toContain("hidden-word");
    const api = await denied("runs:read", owner);
    for (const path of paths) {
      const { status, text } = await api.get(path);
      expect([path, status, text.includes(wait.id), text.includes("hidden-word")]).toEqual([path, 200, true, false]);
    }
  });

  it("A7 reduce the response of a send to a receipt", async () => {
    const owner = await world.project();
    const job_run_id = await seedRun(world.connection, owner.id, { tags: { sec: "S" } });
    const [hidden, shown] = [await seed({ job_run_id }, owner), await seed({}, owner)];
    const api = await denied("runs:read", owner);
    const sent = await api.post(`${at(hidden.event_key)}/send`, {});
    expect([sent.status, sent.body]).toEqual([200, expect.not.objectContaining({ job_run_id })]);
    expect(sent.body).toMatchObject({ id: hidden.id, status: "received" });
    expect((await api.post(`${at(shown.event_key)}/send`, {})).body.job_run_id).toBe(shown.job_run_id);
    expect((await api.post("/v1/events/prefix/none/send", {})).body).not.toHaveProperty("triggers");
  });

  it("A7 hide the waits of a denied run or workflow run", async () => {
    const owner = await world.project();
    const job_run_id = await seedRun(world.connection, owner.id, { tags: { sec: "S" } });
    const workflow_run_id = await seedWorkflowRun(world.connection, owner.id, { tags: { sec: "S" } });
    const byRun = await seed({ ...secret, job_run_id }, owner);
    const byWorkflowRun = await seed({ ...secret, workflow_run_id }, owner);
    const open = await seed({}, owner);
    const asks = [
      { api: await denied("runs:read", owner), hidden: byRun, shown: byWorkflowRun },
      { api: await denied("workflows:read", owner), hidden: byWorkflowRun, shown: byRun },
    ];
    for (const { api, hidden, shown } of asks) {
      const ids = (await api.get("/v1/events")).body.data.map(({ id }: { id: string }) => id);
      expect([ids.includes(hidden.id), ids.includes(shown.id), ids.includes(open.id)]).toEqual([false, true, true]);
      expect((await api.get(at(hidden.event_key))).status).toBe(404);
      expect((await api.get(`${at(hidden.event_key)}/stream`)).status).toBe(404);
      expect((await api.get(at(shown.event_key))).status).toBe(200);
    }
    expect((await asks[0]?.api.get(`/v1/runs/${job_run_id}/events`))?.status).toBe(404);
  });
});

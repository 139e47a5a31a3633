import { beforeAll, describe, expect, it } from "vitest";
import { type SeedRun, seedJob, seedRun, seedRuns } from "../../../test/seed/seed-run.ts";
import { runSql } from "../../../test/world/database.ts";
import { makeWorld, type TestProject, type World } from "../../../test/world/world.ts";
import { newId } from "../../platform/ids.ts";

let world: World;
beforeAll(async () => {
  world = await makeWorld();
  payloads = seedPayloads();
});

const idsOf = (response: { body: { data: { id: string }[] } }) => response.body.data.map((each) => each.id);
const seed = ({ id }: TestProject, run: SeedRun = {}) => seedRun(world.connection, id, run);

/** One project for all tests that search payloads. */
let payloads: Promise<{ project: TestProject; ids: string[] }>;

async function seedPayloads() {
  const project = await world.project();
  const given = [
    { user: { id: 42, name: "Ada" } },
    { user: { id: "42" } },
    {
      items: [
        { sku: "a", n: 1 },
        { sku: "b", n: 2 },
      ],
      total: 1.5,
      note: null,
    },
    ["word", "other"],
    7,
  ];
  const ids = await seedRuns(
    world.connection,
    project.id,
    given.map((payload) => ({ payload })),
  );
  return { project, ids };
}

async function find({ api }: TestProject, filters: Record<string, string>): Promise<string[]> {
  const response = await api.get(`/v1/runs?${new URLSearchParams({ order: "asc", ...filters })}`);
  expect(response.status, response.text).toBe(200);
  return idsOf(response);
}

describe("GET /v1/runs", () => {
  it.each([
    ['{"user":{"id":42}}', [0]],
    ['{"user":{"id":"42"}}', [1]],
    ['{"user":{}}', [0, 1]],
    ['{"items":[{"sku":"b"}]}', [2]],
    ['{"items":[{"sku":"a"},{"sku":"b"}]}', [2]],
    ['{"items":[{"sku":"a","n":2}]}', []],
    ['{"total":1.50}', [2]],
    ['"word"', [3]],
    ['["word"]', [3]],
    ["7", [4]],
    ["{}", [0, 1, 2]],
    ['{"gone":null}', []],
    ['{"note":null}', [2]],
  ])(
    "R7 payload_contains=%s finds by containment, and distinguishes numbers from strings",
    async (payload_contains, wanted) => {
      const { project, ids } = await payloads;
      expect(await find(project, { payload_contains })).toEqual(wanted.map((nth) => ids[nth]));
      expect(await find(project, { q: `payload:${payload_contains}` })).toEqual(wanted.map((nth) => ids[nth]));
    },
  );

  it.each([
    ["payload_contains={a:1}", "query.payload_contains", "is not valid JSON"],
    ["payload_contains=", "query.payload_contains", ""],
    ['payload_contains={"a":12345678901234567890}', "query.payload_contains.a", "2^53"],
    ['payload_contains={"a":"\\u0000"}', "query.payload_contains.a", ""],
    ['payload_contains={"__proto__":1}', "query.payload_contains.__proto__", "usable key"],
    ["workflow_run_id=x", "query.workflow_run_id", ""],
    ["replay_of=x", "query.replay_of", ""],
    [`q=${"x".repeat(2_001)}`, "query.q", ""],
    ["q=job:a shade:red", "query.q", '"shade" at 6–11: unknown key "shade"'],
    ["q=status:done", "query.q", '"done" at 7–11: must be one of'],
  ])("R7 422 for %s, with its location", async (query, location, message) => {
    const { api } = await world.project();
    const [name, value] = [query.slice(0, query.indexOf("=")), query.slice(query.indexOf("=") + 1)];
    const { status, body } = await api.get(`/v1/runs?${name}=${encodeURIComponent(value)}`);
    expect([status, body.errors[0].location]).toEqual([422, location]);
    expect(body.errors[0].message).toContain(message);
  });

  it("R7 reports every issue of a query at once, each with the part of the text to underline", async () => {
    const { api } = await world.project();
    const { body } = await api.get(`/v1/runs?q=${encodeURIComponent("is:odd job:x by:")}`);
    expect(body.errors.map(({ value }: { value: string }) => value)).toEqual(["odd", "by:"]);
    expect(body.code).toBe("validation_failed");
  });

  it("R7 q supports everything that the parameters do, and is combined with them by and", async () => {
    const project = await world.project();
    const job = await seedJob(world.connection, project.id, { slug: "send-mail" });
    const [batch_id, parent_run_id, workflow_run_id] = [newId(), newId(), newId()];
    const staging = (await project.api.get("/v1/environments/staging")).body.id;
    const wanted: SeedRun = {
      job_id: job.id,
      batch_id,
      parent_run_id,
      workflow_run_id,
      environment_id: staging,
      status: "failed",
      attempt: 3,
      error: { code: "http_503", message: "Refused: ECONNRESET 100%" },
      concurrency_key: "tenant 42",
      created_by: "alice, bob",
      trigger_type: "cron",
      is_dead_letter: true,
      tags: { region: "eu" },
      payload: { user: { id: 42 } },
    };
    const id = await seed(project, wanted);
    await seed(project, { job_id: job.id, status: "completed", tags: { noise: "true" } });
    await seed(project, { status: "running" });
    for (const q of [
      `job:send-mail status:failed`,
      `job:${job.id} -status:completed`,
      `batch:${batch_id}`,
      `parent:${parent_run_id}`,
      `workflow:${workflow_run_id}`,
      "env:staging",
      `env:${staging}`,
      'key:"tenant 42"',
      'by:"alice, bob",nobody',
      "trigger:cron,event",
      "tag:region:eu",
      "-tag:noise -status:running",
      "payload.user.id:42",
      "attempts:>2",
      'error:"econnreset 100%"',
      "error:HTTP_5",
      "error:boom,http_5,other",
      'error:"boom, twice","econnreset 100%"',
      "-error:boom,other job:send-mail -status:completed",
      "refused:".replace(":", ""),
      `${id}`,
      "is:dead",
      "is:unhandled",
      "is:ended is:child",
      "is:step",
      `version:${job.version_id} attempts:3`,
      "job:send-mail version:1 -status:completed",
      "status:failed,canceled since:1h",
      `job:${job.id},send-mail -is:live -status:completed`,
    ]) {
      expect(await find(project, { q }), q).toEqual([id]);
    }
    expect(await find(project, { q: "payload.user.id:42", status: "completed" })).toEqual([]);
    expect(await find(project, { q: "status:failed status:completed" })).toEqual([]);
    expect(await find(project, { workflow_run_id })).toEqual([id]);
    expect(await find(project, { environment_id: "staging", job_id: "send-mail" })).toEqual([id]);
    expect((await project.api.get("/v1/runs?q=job:unheard-of")).status).toBe(422);
    expect(await find(project, { q: "" })).toHaveLength(3);
  });

  it("R7 q filters by duration, by creation time, and by whether a run is late or retrying", async () => {
    const project = await world.project();
    const long = await seed(project, { status: "completed" });
    const late = await seed(project, { scheduled_at: "2020-01-01T00:00:00Z" });
    const again = await seed(project, { scheduled_at: "2040-01-01T00:00:00Z" });
    const old = await seed(project, { created_at: "2020-01-01T00:00:00Z", status: "completed" });
    await runSql(world.connection, "update runs set started_at = finished_at - interval '31 seconds' where id = $1", [
      long,
    ]);
    await runSql(world.connection, "update runs set tries_used = 1 where id = $1", [again]);
    expect(await find(project, { q: "duration:>30s" })).toEqual([long]);
    expect(await find(project, { q: "duration:<=30s" })).toEqual([old]);
    expect(await find(project, { q: "is:late" })).toEqual([late]);
    expect(await find(project, { q: "is:retrying" })).toEqual([again]);
    expect(await find(project, { q: "until:2020-01-02" })).toEqual([old]);
    expect(await find(project, { q: "since:2020-01-01 until:2020-01-02" })).toEqual([old]);
    expect(await find(project, { q: "since:24h status:completed" })).toEqual([long]);
    expect(await find(project, { q: "is:live" })).toEqual([late, again]);
  });

  it("O6 its cursor is bound to payload_contains and q", async () => {
    const project = await world.project();
    await seedRuns(world.connection, project.id, [{}, {}]);
    const { body } = await project.api.get(`/v1/runs?limit=1&q=is:live`);
    expect((await project.api.get(`/v1/runs?limit=1&q=is:live&cursor=${body.next_cursor}`)).body.data).toHaveLength(1);
    const other = await project.api.get(`/v1/runs?limit=1&q=is:ended&cursor=${body.next_cursor}`);
    expect(other.body.code).toBe("invalid_cursor");
  });
});

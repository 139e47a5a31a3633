import { createHash } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { mapOf } from "../../../../test/costs/map-bench.ts";
import { workflowBench } from "../../../../test/costs/workflow-bench.ts";
import { capsuleContent, capsuleOf, seedCapsule } from "../../../../test/seed/seed-capsule.ts";
import { seedWorkflowRun } from "../../../../test/seed/seed-workflow-run.ts";
import { runSql } from "../../../../test/world/database.ts";
import { makeFlowWorld } from "../../../../test/world/flow-world.ts";
import type { TestProject, World } from "../../../../test/world/world.ts";
import { newId } from "../../../platform/ids.ts";
import { canonicalJson } from "../../../platform/json/canonical-json.ts";

const CAPSULES = "/v1/workflow-runs/capsules";

let world: World;
let elsewhere: World;
let project: TestProject;
beforeAll(async () => {
  [world, elsewhere] = await Promise.all([makeFlowWorld(), makeFlowWorld()]);
  project = await world.project();
});

/** A run that the engine executed: a job with two tries and log lines, and a wait that an event ends. */
async function lived(owner = project) {
  const bench = await workflowBench(world, owner, { max_attempts: 2, headers: { "x-api-key": "header-secret" } });
  let tries = 0;
  bench.onDispatch("charge", () =>
    ++tries === 1 ? { status: 500 } : { body: { parcel: 7, access_token: "output-secret" } },
  );
  const workflow_id = await bench.save([
    { step_ref: "charge", payload: { db_password: "definition-secret" } },
    { step_ref: "paid", type: "wait_for_event", event_key: `paid-${newId()}`, depends_on: ["charge"] },
  ]);
  const payload = { order: { id: 1, apiKey: "payload-secret" }, max_tokens: 5 };
  const { run } = await bench.run(workflow_id, { payload });
  await world.clock.pass("10m"); // until its second try
  await world.runUntilIdle();
  const { steps } = await bench.read(run.id);
  await owner.api.post(`/v1/events/${await keyOf(run.id)}/send`, { payload: { amount: 3 } });
  await world.runUntilIdle();
  await insertLog(owner.id, steps.charge.run_id, "a line");
  return { id: run.id as string, workflow_id, run_id: steps.charge.run_id as string };
}

async function keyOf(workflow_run_id: string): Promise<string> {
  const statement = "select event_key from event_triggers where workflow_run_id = $1";
  const [row] = await runSql<{ event_key: string }>(world.connection, statement, [workflow_run_id]);
  if (!row) throw new Error("nothing waits");
  return row.event_key;
}

async function insertLog(project_id: string, run_id: string, message: string, count = 1): Promise<void> {
  await runSql(
    world.connection,
    `insert into run_logs (project_id, run_id, id, job_id, attempt, level, message, fields, logged_at, created_at)
     select project_id, id, gen_random_uuid(), job_id, 1, 'info', $3, '{"token": "log-secret"}', clock(), clock()
     from runs, generate_series(1, $4::int) where project_id = $1 and id = $2`,
    [project_id, run_id, message, count],
  );
}

function signed(content: object) {
  return JSON.parse(capsuleOf(content));
}

describe("GET /v1/workflow-runs/{workflowRunID}/capsule", () => {
  it("contains the whole run: definition, payload, steps, decisions, job runs with their attempts, logs, events", async () => {
    const { id, workflow_id, run_id } = await lived();
    const response = await project.api.get(`/v1/workflow-runs/${id}/capsule`);
    expect(response.status, response.text).toBe(200);
    expect(response.headers.get("content-type")).toContain("application/vnd.millrace.run-capsule+json");
    const { format, version, sha256, content } = response.body;
    expect([format, version]).toEqual(["millrace.run-capsule", 1]);
    expect(sha256).toBe(createHash("sha256").update(canonicalJson(content)).digest("hex"));
    expect(response.text).toBe(canonicalJson(response.body));
    expect(content.workflow).toMatchObject({ id: workflow_id, name: "Workflow" });
    expect(content.version).toMatchObject({ version: 1, steps: [{ step_ref: "charge" }, { step_ref: "paid" }] });
    expect(content.run).toMatchObject({ id, status: "completed", payload: { order: { id: 1 }, max_tokens: 5 } });
    expect(content.steps).toMatchObject([
      { step_ref: "charge", status: "completed", output: { parcel: 7 } },
      { step_ref: "paid", status: "completed", output: { amount: 3 } },
    ]);
    expect(content.decisions.map((each: { ordinal: number }) => each.ordinal)).toEqual(
      content.decisions.map((_: unknown, nth: number) => nth + 1),
    );
    const [run, ...others] = content.job_runs;
    expect(others).toEqual([]);
    expect(run.attempts).toMatchObject([
      { attempt: 1, outcome: "retry", http_status: 500 },
      { attempt: 2, outcome: "completed" },
    ]);
    expect(run.transitions.map((each: { to_status: string }) => each.to_status)).toEqual([
      "pending",
      "running",
      "pending",
      "running",
      "completed",
    ]);
    expect(content.logs).toMatchObject([{ run_id, message: "a line" }]);
    expect(content.events).toMatchObject([{ status: "received", payload: { amount: 3 } }]);
    expect(content.left_out).toEqual({ decisions: 0, logs: 0, job_runs: 0, map_items: 0 });
  });

  it("is the same text each time, and contains no secret, variable or header", async () => {
    const [environment] = await runSql<{ id: string }>(
      world.connection,
      "select id from environments where project_id = $1 and slug = 'production'",
      [project.id],
    );
    await project.api.patch(`/v1/environments/${environment?.id}`, { variables: { KEY: "variable-secret" } });
    const { id } = await lived();
    const response = await project.api.get(`/v1/workflow-runs/${id}/capsule`);
    expect(response.text).not.toMatch(/(header|output|definition|payload|log|variable)-secret/);
    expect(response.body.content.run.payload.order.apiKey).toBe("[redacted]");
    expect(response.body.content.steps[0].output.access_token).toBe("[redacted]");
    expect((await project.api.get(`/v1/workflow-runs/${id}/capsule`)).text).toBe(response.text);
  });

  it("keeps the last 1,000 log lines, and says how many it left out", async () => {
    const { id, run_id } = await lived();
    await world.clock.pass("1s");
    await insertLog(project.id, run_id, "many", 1_004);
    const { content } = (await project.api.get(`/v1/workflow-runs/${id}/capsule`)).body;
    expect(content.logs).toHaveLength(1_000);
    expect(content.left_out.logs).toBe(5);
    expect(content.logs.some((line: { message: string }) => line.message === "a line")).toBe(false);
  });

  it("404 for another project, and for a key of another environment", async () => {
    const id = await seedWorkflowRun(world.connection, project.id, {});
    const path = `/v1/workflow-runs/${id}/capsule`;
    const otherProject = await world.project();
    const response = await otherProject.api.get(path);
    expect([response.status, response.body.detail]).toEqual([404, "There is no such workflow run."]);
    const { body } = await project.api.get("/v1/environments");
    const staging = body.data.find((each: { slug: string }) => each.slug === "staging");
    const bound = await project.newKey({ environment_id: staging.id });
    expect((await bound.api.get(path)).status).toBe(404);
    expect((await project.api.get(path)).status).toBe(200);
  });
});

describe("POST /v1/workflow-runs/capsules", () => {
  it("imports it into another installation, which exports it again unchanged", async () => {
    const { id } = await lived();
    const exported = await project.api.get(`/v1/workflow-runs/${id}/capsule`);
    const there = await elsewhere.project();
    const imported = await there.api.post(CAPSULES, exported.text);
    expect(imported.status, imported.text).toBe(201);
    expect(imported.body).toMatchObject({
      project_id: there.id,
      workflow_run_id: id,
      workflow_name: "Workflow",
      status: "completed",
      sha256: exported.body.sha256,
      size_bytes: Buffer.byteLength(exported.text),
    });
    const again = await there.api.get(`${CAPSULES}/${imported.body.id}`);
    expect(again.text).toBe(exported.text);
    const runs = await there.api.get("/v1/workflow-runs");
    expect(runs.body.data).toEqual([]);
  });

  it("accepts a capsule whose keys were reordered: the hash covers its canonical form", async () => {
    const { content, ...rest } = signed(capsuleContent());
    const turned = JSON.stringify(
      { content: Object.fromEntries(Object.entries(content).toReversed()), ...rest },
      null,
      2,
    );
    const imported = await project.api.post(CAPSULES, turned);
    expect(imported.status, imported.text).toBe(201);
    expect((await project.api.get(`${CAPSULES}/${imported.body.id}`)).text).toBe(capsuleOf(content));
  });

  it("rejects another format, a wrong hash and unreadable content, each with its location", async () => {
    const good = signed(capsuleContent());
    const unread = capsuleContent();
    const [step] = unread.steps;
    const cases: [object, string][] = [
      [{ ...good, format: "other" }, "body.format"],
      [{ ...good, version: 2 }, "body.version"],
      [{ ...good, sha256: "0".repeat(64) }, "body.sha256"],
      [{ ...good, content: { ...good.content, run: { ...good.content.run, payload: 1 } } }, "body.sha256"],
      [signed({ ...unread, steps: [{ ...step, status: "flying" }] }), "body.content.steps[0].status"],
      [signed({ ...unread, run: { ...unread.run, created_at: "yesterday" } }), "body.content.run.created_at"],
      [signed({ ...unread, run: { ...unread.run, version: 2 ** 31 } }), "body.content.run.version"],
      [{ ...good, more: 1 }, "body.more"],
    ];
    for (const [body, location] of cases) {
      const response = await project.api.post(CAPSULES, body);
      expect([response.status, response.body.errors?.[0]?.location], location).toEqual([422, location]);
    }
  });

  it("is limited by MAX_BODY_BYTES", async () => {
    const large = { ...capsuleContent(), logs: [{ message: "x".repeat(1_048_576) }] };
    const response = await project.api.post(CAPSULES, capsuleOf(large));
    expect([response.status, response.body.code]).toEqual([413, "payload_too_large"]);
  });

  it("is audited, as is its deletion, and requires workflows:write", async () => {
    const reader = await project.newKey({ scopes: ["workflows:read"] });
    expect((await reader.api.post(CAPSULES, capsuleOf(capsuleContent()))).status).toBe(403);
    const { body } = await project.api.post(CAPSULES, capsuleOf(capsuleContent()));
    expect((await reader.api.delete(`${CAPSULES}/${body.id}`)).status).toBe(403);
    await project.api.delete(`${CAPSULES}/${body.id}`);
    const events = await runSql<{ action: string }>(
      world.connection,
      "select action, before, after from audit_events where project_id = $1 and resource_id = $2 order by id",
      [project.id, body.id],
    );
    expect(events.map(({ action }) => action)).toEqual(["run_capsule.imported", "run_capsule.deleted"]);
    // A run's data must not outlive it in the audit log.
    expect(JSON.stringify(events)).not.toContain("seeded");
  });

  it("can be replayed like a run of this installation", async () => {
    const steps = ["a", "b"].map((step_ref) => ({ step_ref, type: "sleep", sleep_duration: "1h" }));
    const workflow = await project.api.post("/v1/workflows", { name: "Candidate", steps });
    const shadow = `/v1/workflows/${workflow.body.id}/shadow`;
    const content = capsuleContent({ steps: ["a", "gone"] });
    const { body } = await project.api.post(CAPSULES, capsuleOf(content));
    const report = await project.api.post(shadow, { capsule_ids: [body.id] });
    expect(report.status, report.text).toBe(200);
    expect(report.body).toMatchObject({ runs: 1, differing: 1, counts: { step_added: 1, step_missing: 1 } });
    expect(report.body.results[0]).toMatchObject({ workflow_run_id: content.run.id, capsule_id: body.id, version: 3 });

    const live = { ...content, run: { ...content.run, status: "running", finished_at: null } };
    const unended = await project.api.post(CAPSULES, capsuleOf(live));
    const foreign = await seedCapsule(world.connection, (await world.project()).id);
    for (const id of [unended.body.id, foreign]) {
      const refused = await project.api.post(shadow, { capsule_ids: [body.id, id] });
      expect([refused.status, refused.body.errors[0].location]).toEqual([422, "body.capsule_ids[1]"]);
    }
  });
});

describe("GET /v1/workflow-runs/capsules", () => {
  it("lists them newest first, in pages, without their documents", async () => {
    const owner = await world.project();
    const ids: string[] = [];
    for (let nth = 0; nth < 3; nth++) {
      ids.unshift((await owner.api.post(CAPSULES, capsuleOf(capsuleContent()))).body.id);
    }
    const first = await owner.api.get(`${CAPSULES}?limit=2`);
    const rest = await owner.api.get(`${CAPSULES}?limit=2&cursor=${first.body.next_cursor}`);
    expect([...first.body.data, ...rest.body.data].map((each) => each.id)).toEqual(ids);
    expect(rest.body.has_more).toBe(false);
    expect(first.text).not.toContain("document");
  });

  it("shows a key bound to an environment only what was imported there", async () => {
    const owner = await world.project();
    const { body } = await owner.api.get("/v1/environments");
    const staging = body.data.find((each: { slug: string }) => each.slug === "staging");
    const bound = await owner.newKey({ environment_id: staging.id });
    const all = await owner.api.post(CAPSULES, capsuleOf(capsuleContent()));
    const its = await bound.api.post(CAPSULES, capsuleOf(capsuleContent()));
    expect((await bound.api.get(CAPSULES)).body.data.map((each: { id: string }) => each.id)).toEqual([its.body.id]);
    expect((await owner.api.get(CAPSULES)).body.data).toHaveLength(2);
    expect((await bound.api.get(`${CAPSULES}/${all.body.id}`)).status).toBe(404);
    expect((await bound.api.delete(`${CAPSULES}/${all.body.id}`)).status).toBe(404);
  });
});

describe("GET /v1/workflow-runs/capsules/{capsuleID}", () => {
  it("returns 404 for one of another project, for an unknown id and for an invalid one", async () => {
    const foreign = await seedCapsule(world.connection, (await world.project()).id);
    for (const id of [foreign, newId(), "no-id"]) {
      const response = await project.api.get(`${CAPSULES}/${id}`);
      expect([response.status, response.body.detail]).toEqual([404, "There is no such capsule."]);
    }
  });
});

describe("DELETE /v1/workflow-runs/capsules/{capsuleID}", () => {
  it("deletes it once; one of another project stays", async () => {
    const { body } = await project.api.post(CAPSULES, capsuleOf(capsuleContent()));
    expect((await project.api.delete(`${CAPSULES}/${body.id}`)).status).toBe(204);
    expect((await project.api.delete(`${CAPSULES}/${body.id}`)).status).toBe(404);
    const owner = await world.project();
    const foreign = await seedCapsule(world.connection, owner.id);
    expect((await project.api.delete(`${CAPSULES}/${foreign}`)).status).toBe(404);
    expect((await owner.api.get(`${CAPSULES}/${foreign}`)).status).toBe(200);
  });
});

describe("a workflow run with runs that a policy forbids the caller to read", () => {
  /** Runs of a tagged job: a successful one, one for each item, one in a sub-workflow, and one that fails. */
  async function denied() {
    const owner = await world.project();
    const bench = await workflowBench(world, owner, { tags: { sec: "S" } });
    const secret = { body: { word: "hidden-word" } };
    for (const ref of ["a", "m[0]", "below"]) bench.onDispatch(ref, () => secret);
    bench.onDispatch("bad", () => ({ status: 422, body: { error: "hidden-word" } }));
    const child = await bench.save([{ step_ref: "below" }]);
    const steps = [
      { step_ref: "a" },
      mapOf(bench, { depends_on: ["a"] }),
      { step_ref: "sub", type: "sub_workflow", workflow_id: child, depends_on: ["m"] },
      { step_ref: "bad", depends_on: ["sub"] },
    ];
    const workflow_id = await bench.save(steps);
    const request = { payload: { list: [1] }, idempotency_key: "once" };
    const { run, steps: seen } = await bench.run(workflow_id, request);
    await insertLog(owner.id, seen.a.run_id, "hidden-word");
    const key = await owner.newKey();
    const reads = [
      ...["", "/steps", "/steps/a", "/steps/m", "/steps/m/items", "/steps/sub", "/steps/bad", "/graph"],
      ...["/capsule", "/explain"],
    ].map((path) => `/v1/workflow-runs/${run.id}${path}`);
    const again = (wait: string) => key.api.post(`/v1/workflows/${workflow_id}/trigger${wait}`, request);
    return { owner, key, seen, again, id: run.id as string, reads: [...reads, "/v1/workflow-runs"] };
  }

  it("A7 hides their output, error and other data; status and ids stay", async () => {
    const { owner, key, seen, id, reads } = await denied();
    expect(seen).toMatchObject({ a: { status: "completed" }, sub: { status: "completed" }, bad: { status: "failed" } });
    for (const path of reads.filter((each) => /(steps|\/a|m|items|sub|bad|capsule)$/.test(each)))
      expect([path, (await key.api.get(path)).text.includes("hidden-word")]).toEqual([path, true]);
    const tag = { effect: "deny", actions: ["runs:read"], subject: `api_key:${key.id}`, tag_key: "sec" };
    expect((await owner.api.post("/v1/tag-policies", tag)).status).toBe(201);
    expect((await key.api.get(`/v1/runs/${seen.a.run_id}`)).status).toBe(404);
    for (const path of reads) {
      const { status, text } = await key.api.get(path);
      expect([path, status, /hidden-word|\b422\b/.test(text)]).toEqual([path, 200, false]);
    }
    const streamed = await key.api.get(`/v1/workflow-runs/${id}/stream`);
    expect([streamed.text.includes('"failed"'), /\b422\b/.test(streamed.text)]).toEqual([true, false]);
    const { content } = (await key.api.get(`/v1/workflow-runs/${id}/capsule`)).body;
    expect([content.job_runs, content.logs, content.run.error]).toEqual([[], [], null]);
    expect((await key.api.get(`/v1/workflow-runs/${id}/steps/a`)).body).toMatchObject({
      ...{ status: "completed", run_id: seen.a.run_id, output: null, error: null },
    });
    const { body } = await owner.api.get(`/v1/workflow-runs/${id}/steps/a`);
    expect(body.output).toEqual({ word: "hidden-word" });
  });

  it("A7 hides their error in the response to a trigger, also to one that waits", async () => {
    const { owner, key, id, again } = await denied();
    expect((await again("")).text).toMatch(/\b422\b/);
    const tag = { effect: "deny", actions: ["runs:read"], subject: `api_key:${key.id}`, tag_key: "sec" };
    expect((await owner.api.post("/v1/tag-policies", tag)).status).toBe(201);
    for (const wait of ["", "?wait_secs=5"]) {
      const { status, body } = await again(wait);
      expect([status, body.id, body.status, body.error]).toEqual([200, id, "failed", null]);
    }
  });
});

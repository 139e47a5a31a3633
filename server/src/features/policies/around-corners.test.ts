import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { runningRun } from "../../../test/seed/running-run.ts";
import { seedDelivery } from "../../../test/seed/seed-delivery.ts";
import { seedRun } from "../../../test/seed/seed-run.ts";
import { seedTrigger } from "../../../test/seed/seed-trigger.ts";
import { seedWorkflowRun } from "../../../test/seed/seed-workflow-run.ts";
import type { Client } from "../../../test/world/client.ts";
import { runSql } from "../../../test/world/database.ts";
import { makeWorld, type TestProject, type World } from "../../../test/world/world.ts";
import { newId } from "../../platform/ids.ts";

let world: World;
let project: TestProject;
let staging: string;
beforeAll(async () => {
  world = await makeWorld();
});
beforeEach(async () => {
  project = await world.project();
  staging = (await project.api.get("/v1/environments/staging")).body.id;
});

const DEAD = { status: "failed", is_dead_letter: true } as const;

async function newJob(fields: Record<string, unknown> = {}): Promise<string> {
  const { body } = await project.api.post("/v1/jobs", { name: "Job", endpoint_url: "https://example.com/", ...fields });
  return body.id;
}
const deny = (key_id: string, fields: Record<string, unknown>) =>
  project.api.post("/v1/resource-policies", {
    ...{ effect: "deny", actions: ["*"], subject: `api_key:${key_id}`, resource_type: "job", resource_id: "*" },
    ...fields,
  });

describe("a key that is bound to an environment", () => {
  let bound: { id: string; api: Client };
  beforeEach(async () => {
    bound = await project.newKey({ environment_id: staging });
  });

  it("A2 can neither read nor change access rules, which apply to the whole project", async () => {
    const policy = { effect: "deny", actions: ["*"], subject: "*", resource_type: "*", resource_id: "*" };
    const asks: [string, object][] = [
      ["/v1/members", { subject: "me", role_id: "admin" }],
      ["/v1/members/bulk", { members: [{ subject: "me", role_id: "admin" }] }],
      ["/v1/roles", { name: "Mine", permissions: ["*"] }],
      ["/v1/resource-policies", policy],
      ["/v1/access/check", { action: "jobs:read" }],
    ];
    for (const [path, body] of asks) expect([path, (await bound.api.post(path, body)).status]).toEqual([path, 403]);
    expect((await bound.api.get("/v1/roles")).status).toBe(403);
  });

  it("A2 changes neither the project nor its signing secret nor its event sources", async () => {
    const { body } = await project.api.post("/v1/event-sources", { name: "Shop", signature: "hmac" });
    expect((await bound.api.post(`/v1/event-sources/${body.id}/secret/rotate`, {})).status).toBe(403);
    expect((await bound.api.patch(`/v1/event-sources/${body.id}`, { enabled: false })).status).toBe(403);
    expect((await bound.api.delete(`/v1/event-sources/${body.id}`)).status).toBe(403);
    expect((await bound.api.patch(`/v1/projects/${project.id}`, { name: "Mine" })).status).toBe(403);
    expect((await bound.api.post(`/v1/projects/${project.id}/webhook-secret/rotate`, {})).status).toBe(403);
  });
});

describe("a deny", () => {
  let key: { id: string; api: Client };
  beforeEach(async () => {
    key = await project.newKey();
  });

  it("A7 in an environment prevents starting runs there, whatever the job's own environment", async () => {
    const job = await newJob();
    await deny(key.id, { resource_type: "environment", resource_id: staging });
    expect((await key.api.post(`/v1/jobs/${job}/trigger`, { environment_id: staging })).status).toBe(404);
    expect((await key.api.post(`/v1/jobs/${job}/trigger`, {})).status).toBe(201);
    const { results } = (
      await key.api.post(`/v1/jobs/${job}/trigger/bulk`, { items: [{ environment_id: staging }, {}] })
    ).body;
    expect(results.map(({ status }: { status: string }) => status)).toEqual(["failed", "created"]);
  });

  it("A7 of a job also applies through a subscription, a schedule or a step", async () => {
    const job = await newJob();
    const { body: source } = await project.api.post("/v1/event-sources", { name: "Shop" });
    await deny(key.id, { actions: ["jobs:trigger"], resource_id: job });
    expect((await key.api.post(`/v1/event-sources/${source.id}/subscriptions`, { job_id: job })).status).toBe(422);
    expect((await key.api.post("/v1/schedules", { job_id: job, cron: "@daily" })).status).toBe(422);
    const steps = [{ step_ref: "a", job_id: job }];
    expect((await key.api.post("/v1/workflows", { name: "Flow", steps })).status).toBe(422);
    expect((await project.api.post("/v1/workflows", { name: "Flow", steps })).status).toBe(201);
  });

  it("A7 of triggering also applies to schedules, on-failure jobs and replays", async () => {
    const job = await newJob({ cron: "@weekly" });
    const steps = [{ step_ref: "a", type: "sleep", sleep_duration: "1h" }];
    const flow = (await project.api.post("/v1/workflows", { name: "Flow", steps, cron: "@weekly" })).body.id;
    const ofJob = (await project.api.post("/v1/schedules", { job_id: job, cron: "@daily" })).body.id;
    const ofFlow = (await project.api.post("/v1/schedules", { workflow_id: flow, cron: "@daily" })).body.id;
    const paused = (await project.api.post("/v1/schedules", { job_id: job, cron: "@daily", paused: true })).body.id;
    const run = await seedRun(world.connection, project.id, { job_id: job, ...DEAD });
    await deny(key.id, { actions: ["jobs:trigger"], resource_id: job });
    await deny(key.id, { actions: ["workflows:trigger"], resource_type: "workflow", resource_id: flow });
    const asks = [
      key.api.patch(`/v1/schedules/${ofJob}`, { cron: "* * * * *" }),
      key.api.patch(`/v1/schedules/${ofFlow}`, { payload: { mine: true } }),
      key.api.post(`/v1/schedules/${paused}/resume`),
      key.api.post(`/v1/schedules/${ofFlow}/run-now`),
      key.api.patch(`/v1/jobs/${job}`, { cron: "* * * * *" }),
      key.api.patch(`/v1/workflows/${flow}`, { cron: "* * * * *" }),
      key.api.post(`/v1/runs/${run}/replay`, {}),
    ];
    for (const { status, body } of await Promise.all(asks)) expect([status, body.code]).toEqual([403, "policy_denied"]);
    const failing = { name: "Fails", endpoint_url: "https://example.com/", on_failure_job_id: job };
    expect((await key.api.post("/v1/jobs", failing)).status).toBe(422);
    for (const dry_run of [true, false]) {
      const { results } = (await key.api.post("/v1/runs/bulk-replay", { run_ids: [run], dry_run })).body;
      expect(results).toMatchObject([{ status: "failed", error: { code: "policy_denied" } }]);
    }
    for (const ask of [{ run_ids: [run] }, { filter: {} }]) {
      const { id } = (await key.api.post("/v1/runs/bulk-dlq-replay", ask)).body;
      while (await world.tick("work-on-batches"));
      const items = (await project.api.get(`/v1/batch-operations/${id}/items`)).body.data;
      expect(items).toMatchObject([{ target_id: run, status: "failed", error: { code: "policy_denied" } }]);
    }
    expect((await key.api.patch(`/v1/jobs/${job}`, { cron: null })).status).toBe(200);
    expect((await key.api.post(`/v1/schedules/${ofJob}/pause`)).status).toBe(200);
  });

  it("A7 of triggering by tag also rejects a new job or workflow with a schedule", async () => {
    const tag = { effect: "deny", subject: `api_key:${key.id}`, tag_key: "team" };
    await project.api.post("/v1/tag-policies", { ...tag, actions: ["jobs:trigger", "workflows:trigger"] });
    const times = { name: "Own", tags: { team: "payments" }, cron: "@daily" };
    const steps = [{ step_ref: "a", type: "sleep", sleep_duration: "1h" }];
    const made = [
      await key.api.post("/v1/jobs", { ...times, endpoint_url: "https://example.com/" }),
      await key.api.post("/v1/workflows", { ...times, steps }),
    ];
    for (const { status, body } of made) expect([status, body.code]).toEqual([403, "policy_denied"]);
  });

  it("A7 of a job by its tag also applies to its schedules", async () => {
    const job = await newJob({ tags: { team: "payments" } });
    const { body } = await project.api.post("/v1/schedules", { job_id: job, cron: "@daily" });
    const tag = { effect: "deny", actions: ["*"], subject: `api_key:${key.id}`, tag_key: "team" };
    await project.api.post("/v1/tag-policies", tag);
    expect((await key.api.get(`/v1/schedules/${body.id}`)).status).toBe(404);
    expect((await key.api.post(`/v1/schedules/${body.id}/run-now`, {})).status).toBe(404);
  });

  it("A7 also applies to drains and subscriptions, which also need the scope to read", async () => {
    const drain = { name: "Out", url: "https://example.com/" };
    const hook = { url: "https://example.com/", events: ["run.*"] };
    const blind = await project.newKey({ scopes: ["drains:write", "webhooks:write"] });
    await deny(key.id, { resource_id: await newJob() });
    for (const { api } of [key, blind]) {
      expect((await api.post("/v1/log-drains", drain)).body.code).toBe("grant_too_wide");
      expect((await api.post("/v1/webhook-subscriptions", hook)).body.code).toBe("grant_too_wide");
    }
    expect((await project.api.post("/v1/log-drains", drain)).status).toBe(201);
  });

  it("A7 also applies to alerts, which are about the whole project, and to what they and error issues send", async () => {
    const rule = { name: "New errors", kind: "new_errors" };
    const { body } = await project.api.post("/v1/alert-rules", rule);
    const asks = [
      () => key.api.get("/v1/alerts"),
      () => key.api.get(`/v1/alert-rules/${body.id}`),
      () => key.api.post("/v1/alert-rules", rule),
      () => key.api.post("/v1/alert-rules/preview", rule),
      () => key.api.post("/v1/alert-channels", { name: "Out", kind: "webhook", url: "https://example.com/" }),
    ];
    for (const ask of asks) expect((await ask()).status).toBeLessThan(300);
    await deny(key.id, { actions: ["runs:read"], resource_id: await newJob() });
    for (const ask of asks) expect((await ask()).body.code).toBe("policy_denied");
    for (const events of [["alert.*"], ["error_issue.*"]]) {
      const hook = { url: "https://example.com/", events };
      expect((await key.api.post("/v1/webhook-subscriptions", hook)).body.code).toBe("grant_too_wide");
      expect((await project.api.post("/v1/webhook-subscriptions", hook)).status).toBe(201);
    }
  });

  it("A7 to a named subject cannot be lifted by that subject", async () => {
    const { body } = await deny(key.id, { actions: ["jobs:read"] });
    const path = `/v1/resource-policies/${body.id}`;
    expect((await key.api.delete(path)).status).toBe(403);
    expect((await key.api.patch(path, { effect: "allow" })).status).toBe(403);
    expect((await project.api.delete(path)).status).toBe(204);
  });

  it("A7 to a named key prevents it from creating or rotating other keys with that permission", async () => {
    const other = await project.newKey();
    await deny(key.id, { actions: ["jobs:read"], resource_id: await newJob() });
    const asks = [
      await key.api.post("/v1/api-keys", { name: "Mine" }),
      await key.api.post("/v1/api-keys", { name: "Mine", scopes: ["jobs:read", "runs:read"] }),
      await key.api.post(`/v1/api-keys/${other.id}/rotate`),
    ];
    for (const { status, body } of asks) expect([status, body.code]).toEqual([403, "grant_too_wide"]);
    expect((await key.api.post("/v1/api-keys", { name: "Mine", scopes: ["runs:read"] })).status).toBe(201);
    expect((await key.api.post(`/v1/api-keys/${key.id}/rotate`)).status).toBe(200);
  });

  it("A7 to a named key prevents it from granting the permission to a member or role", async () => {
    const role = (await project.api.post("/v1/roles", { name: "Readers", permissions: ["jobs:read"] })).body;
    await deny(key.id, { actions: ["jobs:*"] });
    const asks = [
      await key.api.post("/v1/members", { subject: "me-again", role_id: "viewer" }),
      await key.api.post("/v1/roles", { name: "Mine", permissions: ["jobs:read"] }),
      await key.api.post("/v1/roles", { name: "Mine", parent_role_id: role.id }),
      await key.api.patch(`/v1/roles/${role.id}`, { permissions: ["jobs:read", "runs:read"] }),
    ];
    for (const { status, body } of asks) expect([status, body.code]).toEqual([403, "grant_too_wide"]);
    const bulk = await key.api.post("/v1/members/bulk", { members: [{ subject: "me-again", role_id: "viewer" }] });
    expect(bulk.body.results).toMatchObject([{ status: "failed", member_id: null }]);
    const harmless = await key.api.post("/v1/roles", { name: "Harmless", permissions: ["runs:read"] });
    expect(harmless.status).toBe(201);
  });

  it("A7 to a named key prevents it from allowing the action to others by a policy, or widening one", async () => {
    const job = await newJob();
    const helper = (await key.api.post("/v1/api-keys", { name: "Mine", scopes: ["jobs:write"] })).body;
    const allow = { effect: "allow", actions: ["runs:read"], subject: `api_key:${helper.id}` };
    const other = { ...allow, actions: ["jobs:read"], resource_type: "job", resource_id: job };
    const theirs = (await project.api.post("/v1/resource-policies", other)).body;
    const lesser = { ...other, effect: "deny", actions: ["runs:read"] };
    const helperIsDenied = (await project.api.post("/v1/resource-policies", lesser)).body;
    await deny(key.id, { actions: ["runs:read"], resource_id: job });
    const asks = [
      await key.api.post("/v1/resource-policies", { ...allow, resource_type: "job", resource_id: job }),
      await key.api.post("/v1/resource-policies", { ...allow, resource_type: "run", resource_id: "*", subject: "*" }),
      await key.api.post("/v1/resource-policies", {
        ...{ ...allow, actions: ["runs:*"], resource_type: "environment", resource_id: staging },
      }),
      await key.api.post("/v1/tag-policies", { ...allow, actions: ["*"], tag_key: "team" }),
      await key.api.patch(`/v1/resource-policies/${theirs.id}`, { actions: ["jobs:read", "runs:read"] }),
      await key.api.patch(`/v1/resource-policies/${helperIsDenied.id}`, { effect: "allow" }),
    ];
    for (const { status, body } of asks) expect([status, body.code]).toEqual([403, "grant_too_wide"]);
    const moved = { resource_id: await newJob() };
    expect((await key.api.patch(`/v1/resource-policies/${theirs.id}`, moved)).status).toBe(200);
    expect((await project.api.post("/v1/tag-policies", { ...allow, tag_key: "team" })).status).toBe(201);
  });

  it("A7 to everybody also applies to new keys, so creating them stays possible", async () => {
    const job = await newJob();
    await deny(key.id, { actions: ["jobs:read"], subject: "*", resource_id: job });
    const made = (await key.api.post("/v1/api-keys", { name: "Alike" })).body;
    expect((await world.as(made.key).get(`/v1/jobs/${job}`)).status).toBe(404);
  });

  it("A7 of all resource types also applies to the project's own paths", async () => {
    await deny(key.id, { actions: ["projects:*"], resource_type: "*" });
    const response = await key.api.patch(`/v1/projects/${project.id}`, { name: "x" });
    expect([response.status, response.body.code]).toEqual([403, "policy_denied"]);
  });
});

describe("a tag or environment that decides read access", () => {
  let key: { id: string; api: Client };
  let job: string;
  beforeEach(async () => {
    key = await project.newKey();
    job = await newJob({ tags: { team: "payments" } });
    const tag = { effect: "deny", subject: `api_key:${key.id}`, tag_key: "team", tag_value: "payments" };
    await project.api.post("/v1/tag-policies", { ...tag, actions: ["runs:read", "jobs:read", "workflows:read"] });
  });
  const expectRefused = (response: { status: number; body: Record<string, unknown> }) =>
    expect([response.status, response.body]).toMatchObject([
      403,
      { code: "policy_denied", errors: [{ location: "body.tags" }] },
    ]);

  it("A7 cannot be changed by the denied caller on a run, a job or a workflow", async () => {
    const run = (await project.api.post(`/v1/jobs/${job}/trigger`, { delay_secs: 60 })).body.id;
    const steps = [{ step_ref: "a", type: "sleep", sleep_duration: "1h" }];
    const workflow = { name: "Flow", tags: { team: "payments" }, steps };
    const { id: flow } = (await project.api.post("/v1/workflows", workflow)).body;
    for (const tags of [{}, { team: "open" }]) {
      expectRefused(await key.api.patch(`/v1/runs/${run}`, { tags }));
      expectRefused(await key.api.patch(`/v1/jobs/${job}`, { tags }));
      expectRefused(await key.api.patch(`/v1/workflows/${flow}`, { tags }));
    }
    expectRefused(await key.api.patch(`/v1/jobs/${await newJob()}`, { tags: { team: "payments" } }));
    const other = await key.api.patch(`/v1/runs/${run}`, { tags: { team: "payments", more: "yes" } });
    expect([other.status, Object.keys(other.body).toSorted()]).toEqual([200, ["$schema", "id", "status"]]);
    expect((await project.api.patch(`/v1/runs/${run}`, { tags: {} })).status).toBe(200);
  });

  it("A7 cannot be dropped from a new run by a trigger, in bulk, or by a replay", async () => {
    const tags = { team: "open" };
    expectRefused(await key.api.post(`/v1/jobs/${job}/trigger`, { tags }));
    expectRefused(await key.api.post(`/v1/jobs/${job}/trigger`, { tags, dry_run: true }));
    const bulk = await key.api.post(`/v1/jobs/${job}/trigger/bulk`, { items: [{ tags }, { tags: { more: "yes" } }] });
    expect(bulk.body.results.map(({ status }: { status: string }) => status)).toEqual(["failed", "created"]);
    const run = (await project.api.post(`/v1/jobs/${job}/trigger`, { delay_secs: 60 })).body.id;
    await project.api.post(`/v1/runs/${run}/cancel`);
    expectRefused(await key.api.post(`/v1/runs/${run}/replay`, { tags: {} }));
    expect((await key.api.post(`/v1/runs/${run}/replay`, {})).status).toBe(201);
  });

  const tags = { team: "open" };
  const stepsOf = (job_id: string) => [{ step_ref: "a", job_id }];
  const below = (workflow_id: string) => [{ step_ref: "a", type: "sub_workflow", workflow_id }];
  const newFlow = (steps: object[], fields: object = {}) =>
    key.api.post("/v1/workflows", { name: "Flow", steps, ...fields });

  it("A7 cannot be dropped from the runs of steps by saving a workflow, at any depth or in any version", async () => {
    expectRefused(await newFlow(stepsOf(job), { tags }));
    const plain = (await newFlow(stepsOf(job))).body.id;
    expectRefused(await newFlow(below(plain), { tags }));
    expectRefused(await newFlow(below((await newFlow(below(plain))).body.id), { tags }));
    const denied = { name: "Denied", tags: { team: "payments" }, steps: [{ step_ref: "a", type: "approval" }] };
    const theirs = (await project.api.post("/v1/workflows", denied)).body.id;
    expectRefused(await newFlow(below(theirs), { tags }));
    const harmless = [{ step_ref: "a", type: "approval" }];
    expect((await key.api.patch(`/v1/workflows/${plain}`, { steps: harmless })).status).toBe(200);
    expectRefused(await key.api.patch(`/v1/workflows/${plain}`, { tags }));
    const lower = (await newFlow(harmless)).body.id;
    expect((await newFlow(below(lower), { tags })).status).toBe(201);
    expectRefused(await key.api.patch(`/v1/workflows/${lower}`, { steps: stepsOf(job) }));
    expect((await newFlow(stepsOf(job), { tags: { more: "yes" } })).status).toBe(201);
    const ours = { name: "Ours", tags, steps: stepsOf(job) };
    expect((await project.api.post("/v1/workflows", ours)).status).toBe(201);
  });

  it("A7 cannot be dropped from the runs of steps by triggering a workflow, nor from a child by the run that spawns it", async () => {
    const plain = (await newFlow(stepsOf(job))).body.id;
    const above = (await newFlow(below(plain))).body.id;
    for (const flow of [plain, above]) {
      expectRefused(await key.api.post(`/v1/workflows/${flow}/trigger`, { tags }));
      expectRefused(await key.api.post(`/v1/workflows/${flow}/trigger`, { tags, dry_run: true }));
    }
    const more = { tags: { more: "yes" } };
    expect((await key.api.post(`/v1/workflows/${plain}/trigger`, more)).status).toBe(201);
    expect((await project.api.post(`/v1/workflows/${plain}/trigger`, { tags })).status).toBe(201);
    const { sdk } = await runningRun(world, project);
    expectRefused(await sdk.post("/spawn", { job_id: job, tags }));
    expect((await sdk.post("/spawn", { job_id: job, ...more })).body.tags).toEqual({ team: "payments", more: "yes" });
  });

  it("A7 cannot be crowded out of the runs of steps by the tags of their job or of a trigger", async () => {
    const named = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, nth) => [`a${nth}`, "x"]));
    const [full, half] = [await newJob({ tags: named(20) }), await newJob({ tags: { b: "x", c: "x" } })];
    const denied = { name: "Denied", tags: { team: "payments" }, steps: stepsOf(half) };
    const flow = (await project.api.post("/v1/workflows", denied)).body.id;
    expectRefused(await key.api.patch(`/v1/workflows/${flow}`, { steps: stepsOf(full) }));
    expectRefused(await key.api.post(`/v1/workflows/${flow}/trigger`, { tags: named(19) }));
    expect((await key.api.post(`/v1/workflows/${flow}/trigger`, { tags: named(17) })).status).toBe(201);
  });

  it("A7 cannot be added by a caller whom only that tag would allow to read", async () => {
    const run = (await project.api.post(`/v1/jobs/${await newJob()}/trigger`, { delay_secs: 60 })).body.id;
    const writer = await project.newKey({ scopes: ["runs:write"] });
    const tag = { effect: "allow", actions: ["runs:read"], subject: `api_key:${writer.id}`, tag_key: "mine" };
    await project.api.post("/v1/tag-policies", tag);
    expectRefused(await writer.api.patch(`/v1/runs/${run}`, { tags: { mine: "yes" } }));
    expect((await writer.api.patch(`/v1/runs/${run}`, { tags: { other: "yes" } })).status).toBe(200);
  });

  it("A7 cannot be changed for a job by the caller to whom its environment denies reading", async () => {
    const here = await newJob({ environment_id: staging });
    const other = await project.newKey();
    await deny(other.id, { actions: ["jobs:read"], resource_type: "environment", resource_id: staging });
    const moved = await other.api.patch(`/v1/jobs/${here}`, { environment_id: "production" });
    expect([moved.status, moved.body.errors?.[0].location]).toEqual([403, "body.environment_id"]);
  });

  it("A7 also keeps resources of a denied environment from being started or moved elsewhere", async () => {
    const here = await newJob({ environment_id: staging });
    const anywhere = await newJob();
    const times = { cron: "@daily", payload: { secret: 1 } };
    const newSchedule = async (fields: object) =>
      (await project.api.post("/v1/schedules", { ...times, ...fields })).body;
    const schedules = [
      await newSchedule({ job_id: anywhere, environment_id: staging }),
      await newSchedule({ job_id: here }),
    ];
    const { body: source } = await project.api.post("/v1/event-sources", { name: "Shop" });
    const approval = [{ step_ref: "a", type: "approval" }];
    const flow = { name: "Flow", environment_id: staging, steps: approval };
    const { id: denied } = (await project.api.post("/v1/workflows", flow)).body;
    const { api, id } = await project.newKey();
    const actions = ["runs:read", "jobs:read", "workflows:read"];
    await deny(id, { actions, resource_type: "environment", resource_id: staging });
    const there = { environment_id: "production" };
    const asks = [
      await api.patch(`/v1/schedules/${schedules[0].id}`, there),
      await api.patch(`/v1/schedules/${schedules[0].id}`, { environment_id: null }),
      await api.patch(`/v1/schedules/${schedules[1].id}`, there),
      await api.post("/v1/schedules", { ...times, ...there, job_id: here }),
      await api.post("/v1/schedules", { ...times, ...there, workflow_id: denied }),
      await api.post(`/v1/event-sources/${source.id}/subscriptions`, { ...there, job_id: here }),
      await api.post(`/v1/jobs/${here}/trigger`, there),
      await api.post(`/v1/jobs/${here}/trigger`, { ...there, dry_run: true }),
      await api.post(`/v1/workflows/${denied}/trigger`, there),
      await api.post("/v1/workflows", { name: "Mine", steps: stepsOf(here) }),
      await api.post("/v1/workflows", { name: "Mine", ...there, steps: below(denied) }),
    ];
    const responses = asks.map(({ status, body }) => [status, body.code, body.errors?.[0].location]);
    expect(responses).toEqual(asks.map(() => [403, "policy_denied", "body.environment_id"]));
    expect((await api.post(`/v1/jobs/${here}/trigger`, {})).status).toBe(201);
    expect((await api.post(`/v1/jobs/${anywhere}/trigger`, there)).status).toBe(201);
    expect((await api.patch(`/v1/schedules/${schedules[1].id}`, { name: "Mine" })).status).toBe(200);
    expect((await api.post("/v1/schedules", { ...times, ...there, job_id: anywhere })).status).toBe(201);
    expect((await project.api.post(`/v1/jobs/${here}/trigger`, there)).status).toBe(201);
  });

  it("A7 also keeps a run denied by its id from being copied by a replay", async () => {
    const run = (await project.api.post(`/v1/jobs/${await newJob()}/trigger`, { delay_secs: 60 })).body.id;
    await project.api.post(`/v1/runs/${run}/cancel`);
    await deny(key.id, { actions: ["runs:read"], resource_type: "run", resource_id: run });
    const replay = await key.api.post(`/v1/runs/${run}/replay`, {});
    expect([replay.status, replay.body.code]).toEqual([403, "policy_denied"]);
    const { results } = (await key.api.post("/v1/runs/bulk-replay", { run_ids: [run] })).body;
    expect(results).toMatchObject([{ status: "failed", run_id: null }]);
    const preview = await key.api.post("/v1/runs/bulk-replay", { run_ids: [run], dry_run: true });
    expect(preview.body.results).toMatchObject([{ status: "failed", error: { code: "not_found" } }]);
  });

  it("A7 also keeps a dead letter denied by its id from being copied by a bulk replay, by id or by filter", async () => {
    const run = await seedRun(world.connection, project.id, { job_id: await newJob(), ...DEAD });
    await deny(key.id, { actions: ["runs:read"], resource_type: "run", resource_id: run });
    for (const ask of [{ run_ids: [run] }, { filter: {} }]) {
      const { id } = (await key.api.post("/v1/runs/bulk-dlq-replay", ask)).body;
      while (await world.tick("work-on-batches"));
      const batch = (await project.api.get(`/v1/batch-operations/${id}`)).body;
      expect(batch).toMatchObject({ status: "completed", succeeded: 0 });
    }
    expect((await project.api.get("/v1/runs")).body.data).toHaveLength(1);
  });

  it("A7 excludes resources from the counts and actions of a bulk filter, also when the batch runs later", async () => {
    const tags = { team: "payments" };
    const dead = await seedRun(world.connection, project.id, { job_id: job, tags, ...DEAD });
    const waiting = (await project.api.post(`/v1/jobs/${job}/trigger`, { delay_secs: 60, payload: { pin: 7 } })).body
      .id;
    const filter = { payload_contains: '{"pin":7}' };
    const orders = [
      await key.api.post("/v1/runs/bulk-cancel-all", { filter }),
      await key.api.post("/v1/runs/bulk-dlq-replay", { filter: {} }),
    ];
    const read = () => Promise.all(orders.map(({ body }) => project.api.get(`/v1/batch-operations/${body.id}`)));
    for (const { body } of await read()) expect(body).toMatchObject({ status: "pending", total: 0 });
    while (await world.tick("work-on-batches"));
    for (const { body } of await read()) expect(body).toMatchObject({ status: "completed", processed: 0 });
    expect((await project.api.get(`/v1/runs/${waiting}`)).body.status).toBe("pending");
    expect((await project.api.get(`/v1/runs/${dead}`)).body.replayed_by).toBeNull();
    const all = await project.api.post("/v1/runs/bulk-cancel-all", { filter, dry_run: true });
    expect(all.body.count).toBe(1);
  });

  it("A7 prevents the denied caller from redirecting runs, by the URL or by an on-failure job", async () => {
    const mine = await newJob();
    const steps = [{ step_ref: "a", type: "sleep", sleep_duration: "1h" }];
    const workflow = { name: "Flow", tags: { team: "payments" }, steps };
    const flow = (await project.api.post("/v1/workflows", workflow)).body.id;
    const mixed = await newJob();
    await seedRun(world.connection, project.id, { job_id: mixed, tags: { team: "payments" } });
    const mixedFlow = (await project.api.post("/v1/workflows", { name: "Mixed", steps })).body.id;
    await project.api.post(`/v1/workflows/${mixedFlow}/trigger`, { tags: { team: "payments" } });
    const asks: [string, string, string][] = [
      [`/v1/jobs/${job}`, "on_failure_job_id", mine],
      [`/v1/jobs/${job}`, "endpoint_url", "https://mine.example.com/"],
      [`/v1/jobs/${mixed}`, "endpoint_url", "https://mine.example.com/"],
      [`/v1/workflows/${flow}`, "on_failure_job_id", mine],
      [`/v1/workflows/${mixedFlow}`, "on_failure_job_id", mine],
    ];
    for (const [path, field, value] of asks) {
      const { status, body } = await key.api.patch(path, { [field]: value });
      expect([path, status, body.code, body.errors?.[0].location]).toEqual([
        ...[path, 403, "policy_denied"],
        `body.${field}`,
      ]);
      expect((await project.api.patch(path, { [field]: value })).status).toBe(200);
    }
    expect((await key.api.patch(`/v1/jobs/${mine}`, { endpoint_url: "https://mine.example.com/" })).status).toBe(200);
    const writer = await project.newKey({ scopes: ["jobs:write"] });
    expect((await writer.api.patch(`/v1/jobs/${job}`, { endpoint_url: "https://b.example.com/" })).status).toBe(200);
  });

  it("A7 hides the body of a webhook, which also needs the scope to read its subject", async () => {
    const run = await seedRun(world.connection, project.id, { job_id: job, tags: { team: "payments" } });
    const open = await seedRun(world.connection, project.id, { job_id: job });
    const blind = await project.newKey({ scopes: ["webhooks:read"] });
    const seen = async (api: Client, source_id: string) => {
      const id = await seedDelivery(world.connection, project.id, { event_type: "run.failed" });
      const setSource =
        "update webhook_deliveries set source_type = 'run', source_id = $2, prev_status = status where id = $1";
      await runSql(world.connection, setSource, [id, source_id]);
      const { status, body } = await api.get(`/v1/webhook-deliveries/${id}`);
      return [status, body.body === null];
    };
    expect(await seen(key.api, run)).toEqual([200, true]);
    expect(await seen(key.api, newId())).toEqual([200, true]);
    expect(await seen(blind.api, open)).toEqual([200, true]);
    expect(await seen(key.api, open)).toEqual([200, false]);
    expect(await seen(project.api, run)).toEqual([200, false]);
  });

  it("A7 hides the body of a webhook that quotes a denied run: a failed workflow run, or a wait", async () => {
    const tags = { team: "payments" };
    const run = await seedRun(world.connection, project.id, { job_id: job, tags });
    const error = { code: "step_failed", message: "step a failed: http_400: hidden-word" };
    const failed = await seedWorkflowRun(world.connection, project.id, { status: "failed", error });
    const inside = await seedRun(world.connection, project.id, { job_id: job, tags });
    await runSql(world.connection, "update runs set workflow_run_id = $2 where id = $1", [inside, failed]);
    const byRun = (await seedTrigger(world.connection, project.id, { job_run_id: run })).id;
    const ofChild = (await seedTrigger(world.connection, project.id, { wait_kind: "child" })).id;
    await runSql(world.connection, "update event_triggers set child_run_id = $2 where id = $1", [ofChild, run]);
    const open = (await seedTrigger(world.connection, project.id)).id;
    const isHidden = async (api: Client, source_type: string, source_id: string, data: object = {}) => {
      const id = await seedDelivery(world.connection, project.id, { event_type: `${source_type}.happened` });
      const set = `update webhook_deliveries set source_type = $2, source_id = $3, body = $4, prev_status = status
        where id = $1`;
      await runSql(world.connection, set, [id, source_type, source_id, JSON.stringify({ data })]);
      const { status, body } = await api.get(`/v1/webhook-deliveries/${id}`);
      return [status, body.body === null];
    };
    expect(await isHidden(key.api, "workflow_run", failed, { error })).toEqual([200, true]);
    expect(await isHidden(key.api, "workflow_run", newId(), { error })).toEqual([200, true]);
    expect(await isHidden(key.api, "workflow_run", failed, { error: null })).toEqual([200, false]);
    for (const wait of [byRun, ofChild, newId()])
      expect(await isHidden(key.api, "event_trigger", wait)).toEqual([200, true]);
    expect(await isHidden(key.api, "event_trigger", open)).toEqual([200, false]);
    expect(await isHidden(project.api, "workflow_run", failed, { error })).toEqual([200, false]);
    expect(await isHidden(project.api, "event_trigger", byRun)).toEqual([200, false]);
  });

  it("A7 is not revealed by a read-only field, which is rejected regardless of its value", async () => {
    const run = (await project.api.post(`/v1/jobs/${job}/trigger`, { delay_secs: 60, payload: { a: 1 } })).body.id;
    for (const payload of [{ a: 1 }, { a: 2 }]) {
      const response = await key.api.patch(`/v1/runs/${run}`, { payload });
      expect([response.status, response.body.code]).toEqual([422, "read_only_field"]);
      expect(response.body.errors).toEqual([{ location: "body.payload", message: "is read-only", value: payload }]);
    }
  });
});

describe("secrets given for one host", () => {
  it("are not sent to another host by a caller who may change the URL", async () => {
    const auth = { type: "bearer", token: "t" };
    const drain = (await project.api.post("/v1/log-drains", { name: "D", url: "https://a.example.com/", auth })).body;
    const moved = { url: "https://b.example.com/" };
    expect((await project.api.patch(`/v1/log-drains/${drain.id}`, moved)).body.errors[0].location).toBe("body.auth");
    expect((await project.api.patch(`/v1/log-drains/${drain.id}`, { ...moved, auth })).status).toBe(200);
    const hook = (
      await project.api.post("/v1/webhook-subscriptions", {
        ...{ url: "https://a.example.com/", events: ["run.*"], headers: { "x-key": "secret" } },
      })
    ).body;
    const path = `/v1/webhook-subscriptions/${hook.id}`;
    expect((await project.api.patch(path, moved)).body.errors[0].location).toBe("body.headers");
    expect((await project.api.patch(path, { ...moved, headers: { "x-key": "new" } })).status).toBe(200);
  });
});

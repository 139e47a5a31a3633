import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type SeedLife, seedLives } from "../../../../test/seed/seed-lives.ts";
import { seedJob } from "../../../../test/seed/seed-run.ts";
import { seedSubscription } from "../../../../test/seed/seed-subscription.ts";
import { runSql } from "../../../../test/world/database.ts";
import { holdGate, whenBlocked } from "../../../../test/world/queue-world.ts";
import { makeWorld, type TestProject, type World } from "../../../../test/world/world.ts";

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});
beforeEach(() => world.clock.set("2030-06-15T12:00:00Z"));

/** A project with a job, and a way to let runs of it fail now. */
async function failingProject() {
  const project = await world.project();
  const job = await seedJob(world.connection, project.id);
  const environment_id = (await project.api.get("/v1/environments/production")).body.id as string;
  const fail = async (message: string, count = 1) => {
    const now = await world.clock.now();
    const life: SeedLife = {
      ...{ job_id: job.id, job_version_id: job.version_id, environment_id, created_at: now, started_at: now },
      ...{ ended_at: now, status: "failed", error: { code: "http_500", message }, http_status: 500 },
    };
    const ids = await seedLives(
      world.connection,
      project.id,
      Array.from({ length: count }, () => life),
    );
    while (await world.tick("sum-changes"));
    return ids;
  };
  return { project, job, fail };
}

const issuesOf = async ({ api }: TestProject, query = "") => (await api.get(`/v1/error-issues${query}`)).body.data;

const isOfStock = ({ message }: { message: string }) => message.startsWith("no stock");

async function oneIssue() {
  const made = await failingProject();
  await made.fail("no stock for order 17");
  const [issue] = await issuesOf(made.project);
  return { ...made, issue, path: `/v1/error-issues/${issue.id}` };
}

describe("GET /v1/error-issues", () => {
  it("lists issues by status, job and assignee, the last seen first", async () => {
    const { project, job, fail, path } = await oneIssue();
    await world.clock.pass("1m");
    await fail("no connection");
    expect((await issuesOf(project)).map(({ message }: { message: string }) => message)).toEqual([
      "no connection",
      "no stock for order <n>",
    ]);
    await project.api.post(`${path}/resolve`);
    expect(await issuesOf(project, `?status=open&job_id=${job.id}`)).toHaveLength(1);
    await project.api.post(`${path}/assign`, { assigned_to: "ada" });
    expect(await issuesOf(project, "?assigned_to=ada")).toMatchObject([{ status: "resolved" }]);
  });

  it("each has its failures by day of the last 30 days, and none of another issue", async () => {
    const { project, fail, path } = await oneIssue();
    await world.clock.pass("24h");
    await fail("no stock for order 18", 2);
    await fail("no connection");
    const days = async () =>
      Object.fromEntries(
        (await issuesOf(project)).map(({ message, trend }: { message: string; trend: object[] }) => [message, trend]),
      );
    const today = Date.parse((await world.clock.now()).slice(0, 10));
    const [day, next] = [today - 86_400_000, today].map((ms) => new Date(ms).toISOString());
    const two = { starts_at: next, runs: 2, attempts: 2 };
    expect(await days()).toEqual({
      "no stock for order <n>": [{ starts_at: day, runs: 1, attempts: 1 }, two],
      "no connection": [{ starts_at: next, runs: 1, attempts: 1 }],
    });
    expect((await project.api.post(`${path}/resolve`)).body.trend).toHaveLength(2);
    await world.clock.pass("696h");
    expect((await days())["no stock for order <n>"]).toEqual([two]);
  });
});

describe("GET /v1/error-issues/{errorIssueID}", () => {
  it("has counts, versions and a trend", async () => {
    const { project, fail, path, job } = await oneIssue();
    await world.clock.pass("24h");
    await fail("no stock for order 18", 2);
    const { body } = await project.api.get(path);
    expect(body).toMatchObject({ runs: 3, versions: [{ job_version_id: job.version_id, version: 1, attempts: 3 }] });
    expect(body.trend.map(({ runs }: { runs: number }) => runs)).toEqual([1, 2]);
  });
});

const idsOf = ({ data }: { data: { id: string }[] }) => data.map(({ id }) => id);

describe("GET /v1/error-issues/{errorIssueID}/runs", () => {
  it("lists the dead letters of the issue, as a bulk replay takes them", async () => {
    const { project, fail, path } = await oneIssue();
    const [same] = await fail("no stock for order 18");
    await fail("no connection");
    await runSql(world.connection, "update runs set dead_lettered_at = clock() where project_id = $1", [project.id]);
    const { body } = await project.api.get(`${path}/runs`);
    expect(body).toMatchObject({ has_more: false });
    const run_ids = idsOf(body);
    expect(run_ids).toContain(same);
    expect(run_ids).toHaveLength(2);
    const replayed = await project.api.post("/v1/runs/bulk-replay", { run_ids });
    expect(replayed.body.results.map(({ status }: { status: string }) => status)).toEqual(["created", "created"]);
    expect((await project.api.get(`${path}/runs`)).body.data).toEqual([]);
  });

  it("lists all of them in pages, also behind thousands of runs that failed otherwise", async () => {
    const { project, fail } = await failingProject();
    await fail("no connection", 2_000);
    const same = await fail("no stock for order 17", 101);
    const path = `/v1/error-issues/${(await issuesOf(project)).find(isOfStock).id}`;
    await runSql(world.connection, "update runs set dead_lettered_at = clock() where project_id = $1", [project.id]);
    const found: string[] = [];
    for (let query = ""; ; ) {
      const { body } = await project.api.get(`${path}/runs${query}`);
      expect(body.data.length).toBeLessThanOrEqual(100);
      expect(body.has_more).toBe(body.next_cursor !== null);
      found.push(...idsOf(body));
      if (body.next_cursor === null) break;
      query = `?cursor=${body.next_cursor}`;
    }
    expect(found.toSorted()).toEqual(same.toSorted());
  });
});

describe("POST /v1/error-issues/{errorIssueID}/resolve", () => {
  it("L8 the next failure reopens it, and tells subscribers once", async () => {
    const { project, fail, path } = await oneIssue();
    await seedSubscription(world.connection, project.id, { events: ["error_issue.*"] });
    expect((await project.api.post(`${path}/resolve`)).body).toMatchObject({ status: "resolved" });
    await world.clock.pass("1m");
    await fail("no stock for order 18");
    await fail("no stock for order 19");
    expect((await project.api.get(path)).body).toMatchObject({ status: "open", reopened_count: 1, resolved_at: null });
    const sent = "select event_type from webhook_deliveries where project_id = $1";
    expect(await runSql(world.connection, sent, [project.id])).toEqual([{ event_type: "error_issue.reopened" }]);
  });

  it("L8 a failure from before it was resolved does not reopen it", async () => {
    const { project, fail, path } = await oneIssue();
    await world.clock.pass("1m");
    await project.api.post(`${path}/resolve`);
    await world.clock.set("2030-06-15T12:00:10Z");
    await fail("no stock for order 18");
    expect((await project.api.get(path)).body).toMatchObject({ status: "resolved", runs: 2 });
  });
});

describe("POST /v1/error-issues/{errorIssueID}/ignore", () => {
  it("L8 an ignored issue stays ignored", async () => {
    const { project, fail, path } = await oneIssue();
    await project.api.post(`${path}/ignore`);
    await world.clock.pass("1m");
    await fail("no stock for order 18");
    expect((await project.api.get(path)).body).toMatchObject({ status: "ignored", reopened_count: 0 });
  });
});

describe("POST /v1/error-issues/{errorIssueID}/reopen", () => {
  it("opens it again without counting a failure", async () => {
    const { project, path } = await oneIssue();
    await project.api.post(`${path}/resolve`);
    expect((await project.api.post(`${path}/reopen`)).body).toMatchObject({ status: "open", reopened_count: 0 });
  });
});

describe("POST /v1/error-issues/{errorIssueID}/assign", () => {
  it("L8 keeps the status that a failure or a caller sets at the same time", async () => {
    const { project, path, issue } = await oneIssue();
    const resolve = "update error_groups set status = 'resolved', resolved_at = clock() where id = $1";
    const gate = await holdGate(world.connection, resolve, [issue.id]);
    const assigned = project.api.post(`${path}/assign`, { assigned_to: "ada" });
    await whenBlocked(world.connection);
    await gate.open();
    expect((await assigned).body).toMatchObject({ status: "resolved", assigned_to: "ada" });
  });

  it("assigns it to someone, and to nobody", async () => {
    const { project, path } = await oneIssue();
    expect((await project.api.post(`${path}/assign`, { assigned_to: "ada" })).body.assigned_to).toBe("ada");
    expect((await project.api.post(`${path}/assign`, { assigned_to: null })).body.assigned_to).toBeNull();
  });
});

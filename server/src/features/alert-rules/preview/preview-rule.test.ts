import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { seedLives } from "../../../../test/seed/seed-lives.ts";
import { seedJob } from "../../../../test/seed/seed-run.ts";
import { runSql } from "../../../../test/world/database.ts";
import { makeWorld, type TestProject, type World } from "../../../../test/world/world.ts";

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});
beforeEach(() => world.clock.set("2030-06-15T12:00:00.000Z"));

/** A project of last month, with a job and a way to let its runs end at a time. */
async function oldProject() {
  const project = await world.project();
  await runSql(world.connection, "update projects set created_at = clock() - interval '30 days' where id = $1", [
    project.id,
  ]);
  const job = await seedJob(world.connection, project.id);
  const environment_id = (await project.api.get("/v1/environments/production")).body.id as string;
  const end = async (at: string, status: "completed" | "failed", count: number) => {
    const life = { job_id: job.id, job_version_id: job.version_id, environment_id, created_at: at, started_at: at };
    const error = status === "failed" ? { error: { code: "http_500", message: "no stock" }, http_status: 500 } : {};
    await seedLives(
      world.connection,
      project.id,
      Array.from({ length: count }, () => ({ ...life, ...error, ended_at: at, status })),
    );
  };
  return { project, job, end };
}

async function preview({ api }: TestProject, fields: object) {
  while (await world.tick("sum-changes"));
  const { status, body, text } = await api.post("/v1/alert-rules/preview", { name: "Preview", ...fields });
  expect(status, text).toBe(200);
  return body;
}

describe("POST /v1/alert-rules/preview", () => {
  it("L9 shows when the rule would have fired and ended, and creates nothing", async () => {
    const { project, job, end } = await oldProject();
    await end("2030-06-12T10:00:30.000Z", "failed", 10);
    await end("2030-06-13T10:00:30.000Z", "failed", 5);
    const found = await preview(project, { kind: "failure_rate", job_id: job.id });
    expect(found).toMatchObject({
      ...{ has_history: true, would_fire: false, value: null, from: expect.stringMatching(/^2030-06-08T12:00:0/) },
      ...{ alert_count: 1, notification_count: 2 },
      alerts: [{ fired_at: "2030-06-12T10:01:00.000Z", resolved_at: "2030-06-12T10:06:00.000Z", value: 1 }],
    });
    expect(found.points).toContainEqual({ starts_at: "2030-06-12T10:00:00.000Z", value: 1 });
    expect((await project.api.get("/v1/alert-rules")).body.data).toEqual([]);
  });

  it("L9 agrees with the evaluation about tags, `for_secs` and repetitions", async () => {
    const { project, job, end } = await oldProject();
    await runSql(world.connection, `update jobs set tags = '{"team": "shop"}' where project_id = $1 and id = $2`, [
      ...[project.id, job.id],
    ]);
    await end("2030-06-14T10:00:30.000Z", "failed", 10);
    const settings = { kind: "failure_rate", for_secs: 120, repeat_every_secs: 60, environment_id: "production" };
    expect(await preview(project, { ...settings, tag: "team:shop" })).toMatchObject({
      alerts: [{ fired_at: "2030-06-14T10:03:00.000Z", resolved_at: "2030-06-14T10:06:00.000Z" }],
      notification_count: 4,
    });
    expect(await preview(project, { ...settings, tag: "team:bank" })).toMatchObject({ alert_count: 0 });
  });

  it("L9 counts new error issues, and nothing completed", async () => {
    const { project, end } = await oldProject();
    await end("2030-06-14T10:00:30.000Z", "failed", 1);
    await end("2030-06-15T11:30:30.000Z", "completed", 1);
    expect(await preview(project, { kind: "new_errors" })).toMatchObject({
      alerts: [{ fired_at: "2030-06-14T10:01:00.000Z", resolved_at: "2030-06-14T11:01:00.000Z", value: 1 }],
    });
    expect(await preview(project, { kind: "no_success", window_secs: 86_400 })).toMatchObject({
      alerts: [{ resolved_at: "2030-06-15T12:00:00.000Z" }],
    });
  });

  it("L2 L9 a healthy day, with a failure here and there, fires nothing at any of its minutes", async () => {
    const { project, end } = await oldProject();
    for (let nth = 0; nth < 48; nth++) {
      const at = new Date(Date.parse("2030-06-14T12:00:30.000Z") + nth * 1_800_000).toISOString();
      await end(at, "completed", 11);
      if (nth % 4 === 0) await end(at, "failed", 1);
    }
    for (const fields of [{ kind: "failure_rate" }, { kind: "slo_burn_rate" }, { kind: "schedule_missed" }])
      expect(await preview(project, fields)).toMatchObject({ has_history: true, alert_count: 0, would_fire: false });
  });

  it("says so if no history is kept, and refuses what a rule refuses", async () => {
    const { project } = await oldProject();
    expect(await preview(project, { kind: "queue_depth" })).toMatchObject({
      ...{ has_history: false, alerts: [], points: [], value: 0, would_fire: false },
    });
    const refused = await project.api.post("/v1/alert-rules/preview", {
      name: "Rule",
      kind: "budget",
      queue: "default",
    });
    expect(refused.body.errors).toMatchObject([{ location: "body.queue" }]);
  });
});

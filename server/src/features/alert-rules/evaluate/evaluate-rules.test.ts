import { ALERT_KINDS } from "@millrace/contract/alerts/alert-kinds";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { jobEndpoint } from "../../../../test/outside/job-endpoint.ts";
import { seedLives } from "../../../../test/seed/seed-lives.ts";
import { seedJob, seedRun } from "../../../../test/seed/seed-run.ts";
import { seedSchedule } from "../../../../test/seed/seed-schedule.ts";
import { runSql } from "../../../../test/world/database.ts";
import { makeWorld, type TestProject, type World } from "../../../../test/world/world.ts";
import { senderOf } from "../../webhook-deliveries/sender.ts";
import { evaluateProject } from "./evaluate-rules.ts";

const START = "2030-06-15T12:00:00.000Z";

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});
beforeEach(() => world.clock.set(START));

async function evaluate(after = "61s"): Promise<void> {
  await world.clock.pass(after);
  while (await world.tick("sum-changes"));
  while (await world.tick("evaluate-alert-rules"));
}

async function send(): Promise<void> {
  await world.tick("send-webhooks");
  await senderOf(world.ctx).idle();
}

const run = (text: string, values: unknown[]) => runSql(world.connection, text, values);

async function watched(fields: Record<string, unknown>) {
  const project = await world.project();
  const receiver = await jobEndpoint();
  const channel = await project.api.post("/v1/alert-channels", { name: "Night", kind: "webhook", url: receiver.url });
  expect(channel.status, channel.text).toBe(201);
  const rule = await project.api.post("/v1/alert-rules", { name: "Watch", channel_ids: [channel.body.id], ...fields });
  expect(rule.status, rule.text).toBe(201);
  const path = `/v1/alert-rules/${rule.body.id}`;
  /** In the order of their names: deliveries that are due together are sent at once. */
  const sent = () => receiver.dispatches.map(({ body }) => body.type as string).toSorted();
  return { project, receiver, rule: rule.body, path, sent };
}

type SeededJob = Awaited<ReturnType<typeof seedJob>>;

/** Runs that ended now, of a new job or a known one. Returns the job. */
async function lives(project: TestProject, status: "completed" | "failed", count: number, known?: SeededJob) {
  const job = known ?? (await seedJob(world.connection, project.id));
  const environment_id = (await project.api.get("/v1/environments/production")).body.id as string;
  const now = await world.clock.now();
  const life = { job_id: job.id, job_version_id: job.version_id, environment_id, created_at: now, started_at: now };
  const error = status === "failed" ? { error: { code: "http_500", message: "no stock" }, http_status: 500 } : {};
  await seedLives(
    world.connection,
    project.id,
    Array.from({ length: count }, () => ({ ...life, ...error, ended_at: now, status })),
  );
  return job;
}

const waiting = async (project: TestProject) => {
  const run_id = await seedRun(world.connection, project.id, { status: "pending" });
  await run(
    `update run_queue set run_at = clock() - interval '10 minutes', blocked_on = 'paused' where project_id = $1
       and run_id = $2`,
    [project.id, run_id],
  );
};
const emptyQueue = ({ id }: TestProject) => run("delete from run_queue where project_id = $1", [id]);
const later = () => world.clock.pass("2h");

/** Twelve faults: each kind of rule, and two with another target or window. */
type Fault = {
  kind: string;
  rule?: Record<string, unknown>;
  inject: (project: TestProject) => Promise<unknown>;
  heal: (project: TestProject) => Promise<unknown>;
};

const FAULTS: Fault[] = [
  { kind: "failure_rate", inject: (project) => lives(project, "failed", 10), heal: later },
  {
    kind: "no_success",
    rule: { window_secs: 600 },
    inject: () => world.clock.pass("12m"),
    heal: (project) => lives(project, "completed", 1),
  },
  { kind: "oldest_queued", inject: waiting, heal: emptyQueue },
  { kind: "queue_depth", rule: { threshold: 0 }, inject: waiting, heal: emptyQueue },
  {
    kind: "dead_letters",
    inject: async (project) => {
      const run_id = await seedRun(world.connection, project.id, { status: "failed" });
      await run("update runs set dead_lettered_at = clock() where project_id = $1 and id = $2", [project.id, run_id]);
    },
    heal: ({ id }) => run("update runs set dead_lettered_at = null where project_id = $1", [id]),
  },
  {
    kind: "budget",
    inject: async ({ id, api }) => {
      await api.put("/v1/project-budget", { monthly_budget_microusd: 1_000 });
      await run("update project_budgets set settled_microusd = 800 where project_id = $1", [id]);
    },
    heal: ({ id }) => run("update project_budgets set settled_microusd = 0 where project_id = $1", [id]),
  },
  {
    kind: "endpoint_down",
    inject: ({ id }) =>
      run(
        `insert into circuits (project_id, host, status, down_since, updated_at)
         values ($1, 'shop.example', 'closed', clock(), clock())`,
        [id],
      ),
    heal: ({ id }) => run("update circuits set down_since = null where project_id = $1", [id]),
  },
  {
    kind: "schedule_missed",
    inject: async ({ id }) => {
      const schedule = await seedSchedule(world.connection, id);
      await run(
        "update schedules set next_fire_at = clock() - interval '10 minutes' where project_id = $1 and id = $2",
        [id, schedule.id],
      );
    },
    heal: ({ id }) => run("update schedules set next_fire_at = clock() + interval '9 h' where project_id = $1", [id]),
  },
  { kind: "slo_burn_rate", inject: (project) => lives(project, "failed", 10), heal: later },
  {
    kind: "failure_rate",
    rule: { window_secs: 28_800, threshold: 0.5 },
    inject: (project) => lives(project, "failed", 10),
    heal: (project) => lives(project, "completed", 11),
  },
  { kind: "queue_depth", rule: { threshold: 0, queue: "default" }, inject: waiting, heal: emptyQueue },
  { kind: "new_errors", inject: (project) => lives(project, "failed", 1), heal: later },
];

describe("the task evaluate-alert-rules", () => {
  it.each(FAULTS)("L1 $kind: one alert within a minute, resolved once", async ({ kind, rule, inject, heal }) => {
    const { project, path, sent } = await watched({ kind, ...rule });
    await evaluate();
    expect((await project.api.get(path)).body.state).toBe("ok");
    await inject(project);
    // The rest of the minute covers the 5 s between two passes.
    await evaluate("55s");
    await send();
    expect(sent()).toEqual(["alert.fired"]);
    for (let times = 0; times < 2; times++) await evaluate();
    await send();
    expect(sent()).toEqual(["alert.fired"]);
    await heal(project);
    for (let times = 0; times < 3; times++) await evaluate();
    await send();
    expect(sent()).toEqual(["alert.fired", "alert.resolved"]);
    const { data } = (await project.api.get("/v1/alerts")).body;
    expect(data).toMatchObject([{ kind, status: "resolved", resolved_because: "recovered", notifications: 1 }]);
  });

  it("L1 has a fault of every kind", () => {
    expect([...new Set(FAULTS.map(({ kind }) => kind))].toSorted()).toEqual(ALERT_KINDS.toSorted());
  });

  it("L8 a resolved error that happens again is reported as a new one", async () => {
    const { project, sent } = await watched({ kind: "new_errors" });
    const job = await lives(project, "failed", 1);
    await evaluate();
    const [{ id }] = (await project.api.get("/v1/error-issues")).body.data;
    await project.api.post(`/v1/error-issues/${id}/resolve`);
    await send();
    await evaluate();
    await lives(project, "failed", 1, job);
    await evaluate();
    await send();
    expect(sent()).toEqual(["alert.fired", "alert.fired", "alert.resolved"]);
  });

  it("L2 what is deleted need not succeed", async () => {
    const { project, path } = await watched({ kind: "no_success", window_secs: 60, tag: "team:shop" });
    const job = (await project.api.post("/v1/jobs", { name: "Bill", delivery: "pull" })).body;
    const rule = await project.api.post("/v1/alert-rules", {
      ...{ name: "Bill", kind: "no_success", window_secs: 60, job_id: job.id },
    });
    const state = async (of: string) => (await project.api.get(of)).body.state;
    for (let times = 0; times < 2; times++) await evaluate();
    expect([await state(path), await state(`/v1/alert-rules/${rule.body.id}`)]).toEqual(["ok", "firing"]);
    await project.api.delete(`/v1/jobs/${job.id}`);
    await evaluate();
    expect(await state(`/v1/alert-rules/${rule.body.id}`)).toBe("ok");
  });

  it("L2 a healthy project is sent nothing", async () => {
    const { project, sent } = await watched({ kind: "failure_rate" });
    for (const { kind } of FAULTS) await project.api.post("/v1/alert-rules", { name: kind, kind });
    await lives(project, "completed", 30);
    await lives(project, "failed", 2);
    const issues = (await project.api.get("/v1/alert-rules?kind=new_errors")).body.data;
    for (const { id } of issues) await project.api.delete(`/v1/alert-rules/${id}`);
    for (let times = 0; times < 3; times++) await evaluate();
    await send();
    expect([sent(), (await project.api.get("/v1/alerts")).body.data]).toEqual([[], []]);
  });

  it("L3 a crash between the decision and the delivery sends exactly one", async () => {
    const { project, sent } = await watched({ kind: "queue_depth", threshold: 0 });
    await waiting(project);
    await evaluate();
    // The instance that decided sends nothing; another one has only the database.
    const other = await world.anotherInstance();
    await evaluateProject(other.ctx, project.id, await world.clock.now());
    await senderOf(other.ctx).poll();
    await senderOf(other.ctx).idle();
    await evaluate();
    await send();
    expect(sent()).toEqual(["alert.fired"]);
  });

  it("L3 two instances that evaluate at once send one alert", async () => {
    const { project, sent } = await watched({ kind: "queue_depth", threshold: 0 });
    const other = await world.anotherInstance();
    await waiting(project);
    const now = await world.clock.now();
    await Promise.all([world.ctx, other.ctx, world.ctx, other.ctx].map((ctx) => evaluateProject(ctx, project.id, now)));
    await send();
    expect(sent()).toEqual(["alert.fired"]);
    expect((await project.api.get("/v1/alerts")).body.data).toHaveLength(1);
  });

  it("L4 waits for `for_secs`, repeats after `repeat_every_secs` and resolves after `resolve_after_secs`", async () => {
    const { project, path, sent } = await watched({
      ...{ kind: "queue_depth", threshold: 0, for_secs: 60, repeat_every_secs: 120, resolve_after_secs: 60 },
    });
    await waiting(project);
    await evaluate();
    expect((await project.api.get(path)).body.state).toBe("pending");
    await evaluate();
    await evaluate();
    expect((await project.api.get(path)).body.state).toBe("firing");
    for (let times = 0; times < 2; times++) await evaluate();
    await send();
    expect(sent()).toEqual(["alert.fired", "alert.repeated"]);
    await emptyQueue(project);
    await evaluate();
    expect((await project.api.get(path)).body.state).toBe("firing");
    for (let times = 0; times < 2; times++) await evaluate();
    await send();
    expect(sent()).toEqual(["alert.fired", "alert.repeated", "alert.resolved"]);
  });

  it("L5 a silenced rule notifies nobody, and tells what still fires when the silence ends", async () => {
    const { project, path, sent } = await watched({ kind: "queue_depth", threshold: 0 });
    await project.api.post(`${path}/silence`, { duration_secs: 150 });
    await waiting(project);
    await evaluate();
    await evaluate();
    await send();
    expect([sent(), (await project.api.get(path)).body.state]).toEqual([[], "firing"]);
    for (let times = 0; times < 4; times++) await evaluate();
    await send();
    expect(sent()).toEqual(["alert.fired"]);
  });

  it("L5 an alert that begins and ends during a silence is recorded, and nobody is sent", async () => {
    const { project, path, sent } = await watched({ kind: "queue_depth", threshold: 0 });
    await project.api.post(`${path}/silence`, { duration_secs: 600 });
    await waiting(project);
    await evaluate();
    await emptyQueue(project);
    await evaluate();
    await send();
    expect(sent()).toEqual([]);
    expect((await project.api.get("/v1/alerts")).body.data).toMatchObject([{ status: "resolved", notifications: 0 }]);
  });
});

import { beforeAll, describe, expect, it } from "vitest";
import { seedRun } from "../../../test/seed/seed-run.ts";
import { seedTrigger } from "../../../test/seed/seed-trigger.ts";
import { countsOf } from "../../../test/seed/waiting-run.ts";
import { runSql } from "../../../test/world/database.ts";
import { makeWorld, type World } from "../../../test/world/world.ts";
import { newId } from "../../platform/ids.ts";
import { parseConfig } from "../../platform/settings/config.ts";
import { countPurgeable, purgeTriggers } from "./purge-triggers.ts";

const DAYS = 30;

let world: World;
beforeAll(async () => {
  world = await makeWorld({ config: { event_trigger_retention_secs: DAYS * 86_400 } });
});

const seed = (project_id: string, trigger: Parameters<typeof seedTrigger>[2]) =>
  seedTrigger(world.connection, project_id, trigger);
const idsOf = async (project_id: string) =>
  (
    await runSql<{ id: string }>(world.connection, "select id from event_triggers where project_id = $1 order by id", [
      project_id,
    ])
  ).map(({ id }) => id);

/** An old wait of a run that has not ended. */
async function ofLiveRun(project_id: string): Promise<string> {
  const job_run_id = await seedRun(world.connection, project_id, { status: "waiting" });
  return (await seed(project_id, { status: "received", job_run_id, ended_days_ago: DAYS + 1 })).id;
}

describe("retention of triggers", () => {
  it("T15 deletes triggers that ended longer ago than EVENT_TRIGGER_RETENTION, in each state, and updates the counts", async () => {
    const { id } = await world.project();
    for (const status of ["received", "timed_out", "canceled"] as const)
      await seed(id, { status, ended_days_ago: DAYS + 0.1 });
    const young = await seed(id, { status: "received", ended_days_ago: DAYS - 0.1 });
    const waiting = await seed(id, {});
    expect(await world.tick("remove-old-rows")).toBe(false);
    expect(await idsOf(id)).toEqual([young.id, waiting.id].toSorted());
    const { counted, present } = await countsOf(world.connection, id);
    expect(counted).toEqual({ active: 1, waiting: 1, received: 1, timed_out: 0, canceled: 0 });
    expect(present).toEqual(counted);
  });

  it("T15 keeps the past waits of an active run: every attempt gets them", async () => {
    const { id } = await world.project();
    const kept = await ofLiveRun(id);
    await world.tick("remove-old-rows");
    expect(await idsOf(id)).toEqual([kept]);
  });

  it("T15 deletes in pages, and returns whether there is more", async () => {
    const { id } = await world.project();
    await seed(id, { status: "timed_out", ended_days_ago: DAYS + 1, workflow_run_id: newId() });
    await runSql(
      world.connection,
      `insert into event_triggers (project_id, id, event_key, environment_id, source_type, trigger_type, wait_kind,
         workflow_run_id, workflow_step_run_id, generation, status, prev_status, expires_at, requested_at, finished_at,
         created_at, updated_at)
       select project_id, gen_random_uuid(), 'k' || n, environment_id, 'workflow_step', 'event', 'event',
         gen_random_uuid(), gen_random_uuid(), 1, 'timed_out', 'waiting', expires_at, clock(), finished_at, created_at, clock()
       from event_triggers, generate_series(1, 699) n where project_id = $1`,
      [id],
    );
    expect(await world.tick("remove-old-rows")).toBe(true);
    expect(await idsOf(id)).toHaveLength(200);
    expect(await world.tick("remove-old-rows")).toBe(false);
    expect(await idsOf(id)).toEqual([]);
  });
});

describe("EVENT_TRIGGER_RETENTION", () => {
  const read = (env: Record<string, string>) => parseConfig("dev", env, "/srv/app");
  const secs = (env: Record<string, string>) => {
    const parsed = read(env);
    return parsed.ok ? parsed.config.event_trigger_retention_secs : parsed.mistakes;
  };

  it("T15 is 30 days by default; it is a duration, or days under its older name, and the newer name wins", () => {
    expect(secs({})).toBe(720 * 3_600);
    expect(secs({ EVENT_TRIGGER_RETENTION: "8760h" })).toBe(8_760 * 3_600);
    expect(secs({ EVENT_TRIGGER_RETENTION_DAYS: "7" })).toBe(7 * 86_400);
    expect(secs({ EVENT_TRIGGER_RETENTION: "1h", EVENT_TRIGGER_RETENTION_DAYS: "7" })).toBe(3_600);
    expect(secs({ EVENT_TRIGGER_RETENTION: "a month" })).toEqual([expect.stringContaining("EVENT_TRIGGER_RETENTION")]);
    expect(secs({ EVENT_TRIGGER_RETENTION_DAYS: "0" })).toEqual([
      expect.stringContaining("EVENT_TRIGGER_RETENTION_DAYS"),
    ]);
  });

  it("T14 MAX_ACTIVE_EVENT_TRIGGERS is 100,000 by default", () => {
    expect(read({})).toMatchObject({ config: { max_active_event_triggers: 100_000 } });
    expect(read({ MAX_ACTIVE_EVENT_TRIGGERS: "7" })).toMatchObject({ config: { max_active_event_triggers: 7 } });
    expect(read({ MAX_ACTIVE_EVENT_TRIGGERS: "-1" }).ok).toBe(false);
  });
});

describe("purging triggers", () => {
  it("T12 deletes triggers that ended that many days ago, except the past waits of active runs", async () => {
    const { id: project_id } = await world.project();
    for (const days of [3, 5]) await seed(project_id, { status: "received", ended_days_ago: days });
    const kept = [await ofLiveRun(project_id), (await seed(project_id, { status: "canceled", ended_days_ago: 1 })).id];
    const order = { project_id, older_than_days: 2 };
    expect(await countPurgeable(world.ctx, order)).toBe(2);
    const reported: number[] = [];
    expect(await purgeTriggers(world.ctx, order, async (_, deleted) => void reported.push(deleted))).toBe(2);
    expect([reported, await countPurgeable(world.ctx, order)]).toEqual([[2], 0]);
    expect(await idsOf(project_id)).toEqual(kept.toSorted());
    const { counted, present } = await countsOf(world.connection, project_id);
    expect(counted).toEqual(present);
  });

  it("T12 writes alongside although nothing was deleted", async () => {
    const { id: project_id } = await world.project();
    const reported: number[] = [];
    await purgeTriggers(
      world.ctx,
      { project_id, older_than_days: 2 },
      async (_, deleted) => void reported.push(deleted),
    );
    expect(reported).toEqual([0]);
  });
});

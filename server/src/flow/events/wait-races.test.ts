import { beforeAll, describe, expect, it } from "vitest";
import { disorder } from "../../../test/oracles/queue-order.ts";
import { runningRun } from "../../../test/seed/running-run.ts";
import { countsOf, manyRunning, runNow, waitingRun } from "../../../test/seed/waiting-run.ts";
import { countDeadlocks } from "../../../test/statements/count-deadlocks.ts";
import { runSql } from "../../../test/world/database.ts";
import { sizeOf } from "../../../test/world/size.ts";
import { untilUp } from "../../../test/world/until-up.ts";
import { type Instance, makeWorld, type TestProject, type World } from "../../../test/world/world.ts";
import { dropReadyDatabases } from "../../../test/world/world-databases.ts";
import { ltkOf } from "../../platform/access/credentials/run-token.ts";
import type { RunCtx } from "../../platform/context.ts";
import { ApiError } from "../../platform/errors/errors.ts";
import { newId } from "../../platform/ids.ts";
import { cancelRun } from "../runs/stop/cancel-runs.ts";
import { waitForEvent } from "../waits/wait-for-event.ts";
import { cancelTrigger } from "./cancel-trigger.ts";
import { resolveDueTriggers } from "./resolve-due-triggers.ts";
import { sendEvent } from "./send-event.ts";
import { sendPrefix } from "./send-prefix.ts";

const RACES = sizeOf(20, 600);
/** Each of the five operations begins once. */
const ROUNDS = sizeOf(5, 100);

let world: World;
let project: TestProject;
let instances: Instance[];
beforeAll(async () => {
  await dropReadyDatabases();
  world = await makeWorld();
  instances = [world, await world.anotherInstance(), await world.anotherInstance()];
  await untilUp(instances);
  project = await world.project();
});

const instance = (nth: number) => instances[nth % instances.length] ?? world;

/** What the API layer would pass to an SDK call of the run. */
function runCtx({ ctx, url }: Instance, run: { run_id: string; lease_token: string }): RunCtx {
  const origin = { request_id: newId(), ip: "127.0.0.1", user_agent: "test", base_url: url };
  const { run_id, lease_token } = run;
  return { ...ctx, origin, run_id, project_id: project.id, attempt: 1, ltk: ltkOf(lease_token) };
}

/** Runs many concurrently, but not more than the pools can hold. */
async function together<T>(items: readonly T[], width: number, act: (item: T, nth: number) => Promise<unknown>) {
  let next = 0;
  const workers = Array.from({ length: width }, async () => {
    while (next < items.length) {
      const nth = next++;
      await act(items[nth] as T, nth);
    }
  });
  await Promise.all(workers);
}

const codeOf = (error: unknown): string => {
  if (error instanceof ApiError) return error.code;
  throw error;
};

describe("a concurrent wait and send", () => {
  it("T3 across three instances no event is lost and none is delivered twice", async () => {
    const runs = await manyRunning(world, project, RACES);
    // Guarded by `lockEventKeys` in `waitOnce` and in `send`: without either, a send between the wait's search of the
    // buffer and its commit is buffered, and the wait never sees it.
    await together(runs, 12, async (run, nth) => {
      const event_key = `race-${run.run_id}`;
      const order = { project_id: project.id, event_key, payload: { nth }, sent_by: "race", buffer_secs: 3_600 };
      const wait = () => waitForEvent(runCtx(instance(nth), run), { event_key, timeout_secs: 60, notify_url: null });
      const send = () => sendEvent(instance(nth + 1).ctx, order);
      await Promise.all(nth % 2 === 0 ? [wait(), send()] : [send(), wait()]);
    });
    const ids = runs.map((run) => run.run_id);
    const rows = await runSql<{ status: string; checkpoint: { nth: number }; waits: number }>(
      world.connection,
      "select status, checkpoint, waits from runs where id = any($1)",
      [ids],
    );
    const outcomes = new Map<string, number>();
    for (const { status } of rows) outcomes.set(status, (outcomes.get(status) ?? 0) + 1);
    expect(outcomes).toEqual(new Map([["pending", RACES]]));
    expect(new Set(rows.map(({ checkpoint }) => checkpoint.nth)).size).toBe(RACES);
    const [left] = await runSql(
      world.connection,
      "select count(*)::int as kept from buffered_events where project_id = $1",
      [project.id],
    );
    expect(left).toEqual({ kept: 0 });
    const triggers = await runSql(
      world.connection,
      "select status, count(*)::int as count from event_triggers where job_run_id = any($1) group by status",
      [ids],
    );
    expect(triggers).toEqual([{ status: "received", count: RACES }]);
    expect(await disorder(world.connection)).toEqual([]);
  });

  it("T3 a send waits for a wait in progress, and then finds it", async () => {
    const run = await runningRun(world, project);
    const event_key = `held-${newId()}`;
    const [wait, sent] = [
      run.sdk.post("/wait-for-event", { event_key }),
      sendEvent(world.ctx, { project_id: project.id, event_key, payload: 1, sent_by: "t", buffer_secs: 9 }),
    ];
    await Promise.all([wait, sent]);
    expect(await runNow(world.connection, run.run_id)).toMatchObject({ status: "pending", checkpoint: 1 });
  });
});

describe("a concurrent send, timeout and cancel", () => {
  it("T5 T6 exactly one of them wins, and the run or step ends with it", async () => {
    const own = await makeWorld();
    const owned = await own.project();
    const all = [own, await own.anotherInstance(), await own.anotherInstance()];
    await untilUp(all);
    const at = (nth: number) => (all[nth % 3] ?? own).ctx;
    await own.clock.set("2030-01-01T00:00:00Z");
    const tally = new Map<string, number>();
    for (const [round, held] of (await manyRunning(own, owned, ROUNDS)).entries()) {
      const { run_id } = held;
      const event_key = `wins-${round}`;
      const ctx = { ...runCtx(own, held), project_id: owned.id };
      const { trigger } = await waitForEvent(ctx, { event_key, timeout_secs: 1, notify_url: null });
      await runSql(own.connection, "update event_triggers set expires_at = clock() where id = $1", [trigger.id]);
      const key = { project_id: owned.id, event_key };
      const acts: (() => Promise<string>)[] = [
        () => sendEvent(at(round), { ...key, payload: round, sent_by: "race" }).then(() => "received", codeOf),
        () => resolveDueTriggers(at(round + 1)).then(() => "timer"),
        () =>
          cancelTrigger(at(round + 2), { ...key, by: { id: null, name: "race" }, names: [] }, async () => {}).then(
            () => "canceled",
            codeOf,
          ),
        () =>
          cancelRun(at(round), {
            project_id: owned.id,
            run_id,
            cause: "canceled",
            reason: null,
            by: { id: null, name: "race" },
          }).then(({ canceled }) => (canceled ? "canceled" : "ended")),
        () => sendPrefix(at(round + 1), { ...key, prefix: event_key, payload: -1, sent_by: "race" }).then(String),
      ];
      const turned = [...acts.slice(round % acts.length), ...acts.slice(0, round % acts.length)];
      await Promise.all(turned.map((act) => act()));
      const [now] = await runSql<{ status: string }>(
        own.connection,
        "select status from event_triggers where id = $1",
        [trigger.id],
      );
      const run = await runNow(own.connection, run_id);
      tally.set(now?.status ?? "", (tally.get(now?.status ?? "") ?? 0) + 1);
      const wanted = { received: ["pending", "canceled"], timed_out: ["timed_out"], canceled: ["canceled"] };
      // A resumed run may be canceled after it.
      expect(wanted[now?.status as keyof typeof wanted], `${now?.status} ${run.status}`).toContain(run.status);
    }
    const { counted, present } = await countsOf(own.connection, owned.id);
    expect(counted).toEqual(present);
    expect(await disorder(own.connection)).toEqual([]);
    expect([...tally.values()].reduce((sum, each) => sum + each, 0)).toBe(ROUNDS);
  });
});

describe("twenty concurrent sends of one event", () => {
  it("T4 one is received, and the others get the same trigger or a conflict with another payload", async () => {
    const { event_key, trigger } = await waitingRun(world, project);
    const order = { project_id: project.id, event_key, sent_by: "race" };
    const results = await Promise.all(
      Array.from({ length: 20 }, (_, nth) =>
        sendEvent(instance(nth).ctx, { ...order, payload: nth % 2 }).then(({ kind }) => kind, codeOf),
      ),
    );
    const tally = (kind: string) => results.filter((each) => each === kind).length;
    expect([tally("received"), tally("resent"), tally("event_already_received")]).toEqual([1, 9, 10]);
    const rows = await runSql(
      world.connection,
      "select count(*)::int as transitions from run_history where run_id = $1",
      [trigger.job_run_id],
    );
    expect(rows).toEqual([{ transitions: 4 }]);
  });
});

describe("many concurrent waits for one key", () => {
  it("T11 one waits, the others are refused and keep running", async () => {
    const event_key = `one-${newId()}`;
    const runs = await manyRunning(world, project, 12);
    const results = await Promise.all(
      runs.map((run, nth) =>
        waitForEvent(runCtx(instance(nth), run), { event_key, timeout_secs: 60, notify_url: null }).then(
          () => "waits",
          codeOf,
        ),
      ),
    );
    expect(results.filter((each) => each === "waits")).toHaveLength(1);
    expect(results.filter((each) => each === "event_key_in_use")).toHaveLength(11);
    const rows = await runSql(world.connection, "select status from runs where id = any($1) and status = 'running'", [
      runs.map((run) => run.run_id),
    ]);
    expect(rows).toHaveLength(11);
  });
});

describe("all of these", () => {
  it("ran into no deadlock", async () => {
    expect(await countDeadlocks(world.connection)).toBe(0);
  });
});

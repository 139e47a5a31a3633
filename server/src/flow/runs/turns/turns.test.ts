import { beforeAll, describe, expect, it } from "vitest";
import { runSql } from "../../../../test/world/database.ts";
import { makeFlowWorld } from "../../../../test/world/flow-world.ts";
import { claimSome, fillQueue, makeJob, type TestJob } from "../../../../test/world/queue-world.ts";
import type { TestProject, World } from "../../../../test/world/world.ts";
import { inTransaction } from "../../../platform/database/transaction.ts";
import { lockBlocked } from "../../budget/admit-blocked.ts";
import type { ClaimedRun } from "../claim/claimed-run.ts";
import type { Outcome } from "../dispatch/outcome.ts";
import { settleRuns } from "../settle/settle-runs.ts";

/** Keys of one job take turns; jobs do not: there the time counts at which a run became due. */

let world: World;
let project: TestProject;
beforeAll(async () => {
  world = await makeFlowWorld();
  project = await world.project();
});

const FAILED: Outcome = { kind: "failed", retryable: true, error: { code: "no", message: "No." } };
const complete = (run: ClaimedRun) =>
  settleRuns(world.ctx, [{ run, outcome: { kind: "completed", result_json: "null" } }]);

let queues = 0;
async function makeQueue(): Promise<string> {
  const { body } = await project.api.post("/v1/queues", { name: `turns-${queues++}`, max_concurrency: 1 });
  return body.name;
}

/** Two jobs of one lane, or, if they have a queue, of one queue whose runs start one at a time. */
async function makePair(fields: object): Promise<{ keyed: TestJob; plain: TestJob }> {
  const keyed = await makeJob(project, fields);
  return { keyed, plain: await makeJob(project, { ...fields, endpoint_url: `http://${keyed.host}/` }) };
}

/** Each a second later than the one before. */
async function fillSlowly(job: TestJob, keys: string[]): Promise<string[]> {
  const ids: string[] = [];
  for (const concurrency_key of keys) {
    ids.push(...(await fillQueue(world.ctx, job, [{ concurrency_key }])));
    await world.clock.pass("1s");
  }
  return ids;
}

/** Starts and ends one run. A claim may start none and only release the next one. */
async function startNext(job: TestJob): Promise<string> {
  for (let claims = 0; claims < 4; claims++) {
    const [run] = await claimSome(world.ctx, job);
    if (!run) continue;
    await complete(run);
    return run.run_id;
  }
  throw new Error("nothing starts");
}

const LINES = [
  ["lane", async () => ({})],
  ["queue with max_concurrency 1", async () => ({ queue: await makeQueue() })],
  ["lane, with a limit of the job", async () => ({ max_concurrency: 1 })],
] as const;

describe.each(LINES)("in a %s, a job whose keys always have a newcomer", (_, fields) => {
  it.each([
    ["of the same keys", (nth: number) => (nth % 2 ? "a" : "b")],
    ["of new keys", (nth: number) => `new${nth}`],
  ])("starts none of them before an older run of another job: %s", async (_, newKey) => {
    const { keyed, plain } = await makePair(await fields());
    const older = await fillSlowly(keyed, ["a", "b", "a", "b", "a", "a"]);
    const [other = ""] = await fillQueue(world.ctx, plain, 1);
    const started: string[] = [];
    for (let nth = 0; !started.includes(other); nth++) {
      await world.clock.pass("1s");
      await fillSlowly(keyed, [newKey(nth)]);
      started.push(await startNext(keyed));
      expect(started.length, "starts before the other job's run").toBeLessThanOrEqual(older.length + 1);
    }
    expect(started).toHaveLength(older.length + 1);
  });

  it("lets the newcomer of a new key start at the place of an older run of its job, which follows", async () => {
    const { keyed, plain } = await makePair(await fields());
    const [first, second, third] = await fillSlowly(keyed, ["a", "a", "a"]);
    const [other] = await fillQueue(world.ctx, plain, 1);
    await world.clock.pass("1s");
    const [newcomer] = await fillQueue(world.ctx, keyed, [{ concurrency_key: "b" }]);
    const started: string[] = [];
    for (let nth = 0; nth < 5; nth++) started.push(await startNext(keyed));
    expect(started).toEqual([first, newcomer, second, other, third]);
  });
});

describe("runs that were triggered together", () => {
  const TIED = [
    ["with a limit of the job", async () => ({ max_concurrency: 1 })],
    ["with two slots", async () => ({ max_concurrency: 2 })],
    ["with a rate", async () => ({ rate_limit_max: 1, rate_limit_window_secs: 1 })],
    ["in a queue with a limit", async () => ({ queue: await makeQueue() })],
  ] as const;

  it.each(TIED)("all start, and their keys take turns: %s", async (_, fields) => {
    for (const keys of ["aab", "aabb", "bbaa", "abab", "aaabcc", "aabaacdd"]) {
      const job = await makeJob(project, await fields());
      const ids = await fillQueue(
        world.ctx,
        job,
        [...keys].map((concurrency_key) => ({ concurrency_key })),
      );
      const keyOf = new Map(ids.map((id, nth) => [id, keys[nth] ?? ""]));
      const order: string[] = [];
      for (const _id of ids) {
        await world.clock.pass("3s");
        await world.tick("release-rate-limits");
        order.push(await startNext(job));
      }
      const started = order.map((id) => keyOf.get(id) ?? "");
      const rounds = started.map((key, nth) => started.slice(0, nth).filter((earlier) => earlier === key).length);
      expect(rounds, `${keys} started as ${started.join("")}`).toEqual(rounds.toSorted());
      for (const key of keys)
        expect(order.filter((id) => keyOf.get(id) === key)).toEqual(ids.filter((id) => keyOf.get(id) === key));
    }
  });
});

describe("priorities", () => {
  it("come first, and keys take turns within each, however many of a key wait with less", async () => {
    const job = await makeJob(project, { max_concurrency: 1 });
    const named = new Map<string, string>();
    for (const name of ["A1", "A2", "A3", "B1", "A+1", "A+2", "C+1", "C+2", "B+1", "C2", "C-1"]) {
      const priority = name.includes("+") ? 10 : name.includes("-") ? -10 : 0;
      const [id = ""] = await fillQueue(world.ctx, job, [{ concurrency_key: name.slice(0, 1), priority }]);
      named.set(id, name);
      await world.clock.pass("1s");
    }
    const started: string[] = [];
    for (const _ of named) started.push(named.get(await startNext(job)) ?? "");
    expect(started.join(" ")).toBe("A+1 C+1 B+1 A+2 C+2 A1 B1 C2 A2 A3 C-1");
  });
});

describe("several at a time", () => {
  it("take the places of their job in order of turn, and leave those of other jobs", async () => {
    const { keyed, plain } = await makePair({});
    const [a1, a2, a3] = await fillSlowly(keyed, ["a", "a", "a"]);
    const [other] = await fillQueue(world.ctx, plain, 1);
    await world.clock.pass("1s");
    const [b1, c1] = await fillSlowly(keyed, ["b", "c"]);
    const ahead = async (id?: string) => (await project.api.get(`/v1/runs/${id}/explain`)).body.queue_position.ahead;
    expect(await Promise.all([a1, b1, c1, other, a2, a3].map(ahead))).toEqual([0, 1, 2, 3, 4, 5]);
    const claimed = async (share: number) => (await claimSome(world.ctx, keyed, share)).map((run) => run.run_id);
    expect(await claimed(2)).toEqual([a1, b1]);
    expect(await claimed(2)).toEqual([c1, other]);
    expect(await claimed(2)).toEqual([a2, a3]);
  });
});

describe("under a budget", () => {
  it("runs are admitted in the same order", async () => {
    const { keyed, plain } = await makePair({});
    const [a1, a2, a3] = await fillSlowly(keyed, ["a", "a", "a"]);
    const [other] = await fillQueue(world.ctx, plain, 1);
    await world.clock.pass("1s");
    const [newcomer] = await fillQueue(world.ctx, keyed, [{ concurrency_key: "b" }]);
    const ids = [a1, a2, a3, other, newcomer];
    await runSql(world.connection, "update run_queue set blocked_on = 'budget' where run_id = any($1)", [ids]);
    const start = { rank_at: "-infinity", run_id: "00000000-0000-0000-0000-000000000000" };
    const blocked = await inTransaction(world.ctx, (tx) => lockBlocked(tx, project.id, start));
    expect(blocked.map((run) => run.run_id)).toEqual([a1, newcomer, a2, other, a3]);
  });
});

describe("a run that is queued again", () => {
  /** A job with a long backlog of one key, of which some have started: its turns lag behind the time. */
  async function backlog() {
    const job = await makeJob(project, { max_attempts: 2 });
    const many = await fillQueue(world.ctx, job, Array(20).fill({ concurrency_key: "many" }));
    for (let nth = 0; nth < 5; nth++) await startNext(job);
    await world.clock.pass("1h");
    return { job, next: many.slice(5) };
  }

  it("takes the turn of its key after a failed attempt, however long the others' backlog is", async () => {
    const { job, next } = await backlog();
    const [failing] = await fillQueue(world.ctx, job, [{ concurrency_key: "few" }]);
    const claimed = await claimSome(world.ctx, job, 2);
    const run = claimed.find(({ run_id }) => run_id === failing);
    if (!run) throw new Error("the newcomer has no turn");
    await settleRuns(world.ctx, [{ run, outcome: FAILED }]);
    await world.clock.pass("1m");
    await world.tick("release-due-runs");
    const started = [await startNext(job), await startNext(job)];
    expect(started).toContain(failing);
    expect(started.filter((id) => next.includes(id))).toHaveLength(1);
  });

  it("takes turns with the other keys when many become due at once", async () => {
    const { job, next } = await backlog();
    const delayed = (concurrency_key: string) => ({ concurrency_key, delay_secs: 60 });
    const due = await fillQueue(world.ctx, job, [...Array(4).fill(delayed("a")), ...Array(2).fill(delayed("b"))]);
    await world.clock.pass("2m");
    await world.tick("release-due-runs");
    const started: string[] = [];
    for (let nth = 0; nth < 6; nth++) started.push(await startNext(job));
    const places = started.filter((id) => due.includes(id));
    expect(places).toEqual([due[0], due[4], due[1], due[5]]);
    expect(started.filter((id) => next.includes(id))).toHaveLength(2);
  });
});

import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { disorder } from "../../../test/oracles/queue-order.ts";
import { randomFrom, testSeed } from "../../../test/seed/seed.ts";
import { countDeadlocks } from "../../../test/statements/count-deadlocks.ts";
import { makeClient } from "../../../test/world/client.ts";
import { runSql } from "../../../test/world/database.ts";
import { claimSome, fillQueue, makeJob, type TestJob } from "../../../test/world/queue-world.ts";
import { rounds } from "../../../test/world/rounds.ts";
import { isWholeSize } from "../../../test/world/size.ts";
import { until } from "../../../test/world/until.ts";
import { untilUp } from "../../../test/world/until-up.ts";
import { type Instance, makeWorld, type TestProject, type World } from "../../../test/world/world.ts";
import { dropReadyDatabases } from "../../../test/world/world-databases.ts";
import { ltkOf } from "../../platform/access/credentials/run-token.ts";
import { ApiError } from "../../platform/errors/errors.ts";
import { blockJob, unblockJob } from "../limits/block-job.ts";
import { waitForEvent } from "../waits/wait-for-event.ts";
import type { ClaimedRun } from "./claim/claimed-run.ts";
import { renewLeases } from "./claim/renew-leases.ts";
import type { Outcome } from "./dispatch/outcome.ts";
import { expireRuns } from "./maintain/expire-runs.ts";
import { releaseDue } from "./maintain/release-due.ts";
import { sweepLeases } from "./maintain/sweep-leases.ts";
import { acceptRuns, settleRuns } from "./settle/settle-runs.ts";
import { cancelRun } from "./stop/cancel-runs.ts";

const COMPLETED: Outcome = { kind: "completed", result_json: "null" };
const FAILED: Outcome = { kind: "failed", retryable: true, error: { code: "no", message: "No." } };

let world: World;
let project: TestProject;
let others: Instance[];
let gate: pg.Client;
let watcher: pg.Client;

beforeAll(async () => {
  await dropReadyDatabases();
  world = await makeWorld();
  others = [await world.anotherInstance(), await world.anotherInstance()];
  await untilUp([world, ...others]);
  project = await world.project();
  gate = new pg.Client(world.connection);
  watcher = new pg.Client(world.connection);
  await Promise.all([gate.connect(), watcher.connect()]);
});
afterAll(() => Promise.all([gate.end(), watcher.end()]));

/** A run, and the lease under which it runs, if any. */
type Subject = { job: TestJob; id: string; lease: ClaimedRun };
type State = "due" | "running" | "silent" | "expired" | "just due";
type Operation = { from: State[]; act: (instance: Instance, subject: Subject) => Promise<unknown> };

const api = ({ url }: Instance) => makeClient(url, { authorization: `Bearer ${project.key}` });

/** Each with the states of a run in which it has an effect. */
const OPERATIONS: Record<string, Operation> = {
  claim: { from: ["due"], act: ({ ctx }, { job }) => claimSome(ctx, job) },
  settle: { from: ["running"], act: ({ ctx }, { lease }) => settleRuns(ctx, [{ run: lease, outcome: COMPLETED }]) },
  requeue: { from: ["running"], act: ({ ctx }, { lease }) => settleRuns(ctx, [{ run: lease, outcome: FAILED }]) },
  accept: { from: ["running"], act: ({ ctx }, { lease }) => acceptRuns(ctx, [lease]) },
  renew: { from: ["running"], act: ({ ctx }, { lease }) => renewLeases(ctx, [lease]) },
  cancel: { from: ["due", "running"], act: (instance, { id }) => noIssue(api(instance).post(`/v1/runs/${id}/cancel`)) },
  pause: { from: ["due", "running"], act: (instance, { id }) => noIssue(api(instance).post(`/v1/runs/${id}/pause`)) },
  resume: { from: ["running"], act: (instance, { id }) => noIssue(api(instance).post(`/v1/runs/${id}/resume`)) },
  PATCH: { from: ["due"], act: (instance, { id }) => noIssue(api(instance).patch(`/v1/runs/${id}`, { priority: 3 })) },
  wait: { from: ["running"], act: (instance, subject) => waitForKey(instance, subject) },
  sweep: { from: ["silent"], act: ({ ctx }) => sweepLeases(ctx) },
  expire: { from: ["expired"], act: ({ ctx }) => expireRuns(ctx) },
  "release due": { from: ["just due"], act: ({ ctx }) => releaseDue(ctx) },
};

async function noIssue(response: Promise<{ status: number; text: string }>): Promise<void> {
  const { status, text } = await response;
  if (status >= 500) throw new Error(text);
}

/** The run requests a wait, as long as it holds its lease. */
async function waitForKey({ ctx, url }: Instance, { id: run_id, lease }: Subject): Promise<void> {
  const origin = { request_id: run_id, ip: "127.0.0.1", user_agent: "test", base_url: url };
  const claims = { run_id, project_id: project.id, attempt: lease.attempt, ltk: ltkOf(lease.lease_token) };
  const wait = { event_key: `wait-${run_id}`, timeout_secs: 60, notify_url: null };
  await waitForEvent({ ...ctx, ...claims, origin }, wait).catch((error) => {
    if (!(error instanceof ApiError)) throw error;
  });
}

/** Brings a new run into that state. */
const PREPARE: Record<State, string> = {
  due: "",
  running: "",
  silent: "lease_until = clock() - interval '1 second'",
  expired: "expires_at = clock()",
  "just due": "blocked_on = 'not_due', run_at = clock()",
};

async function subjectIn(state: State): Promise<Subject> {
  const [id = ""] = await fillQueue(world.ctx, job, 1);
  const [claimed] = state === "running" || state === "silent" ? await claimSome(world.ctx, job) : [];
  if (PREPARE[state]) await watcher.query(`update run_queue set ${PREPARE[state]} where run_id = $1`, [id]);
  return { job, id, lease: claimed ?? foreignLease(job, id) };
}

/** An outcome from an instance that never held the run: it must be ignored. */
function foreignLease({ project_id }: TestJob, run_id: string): ClaimedRun {
  const lease = { project_id, run_id, attempt: 1, lease_token: run_id, tries_used: 0, crash_count: 0, max_attempts: 3 };
  return { ...lease, slots: null, job_version_id: anyVersion } as unknown as ClaimedRun;
}
let anyVersion: string;
let job: TestJob;

const cancellation = { cause: "canceled", reason: null, by: { id: null, name: "test" } } as const;

type Begun = { result: Promise<PromiseSettledResult<unknown>>; isOver: boolean };

/** Starts an operation, and resolves when it has ended or waits for a lock, as do those before it. */
async function begin(work: Promise<unknown> | undefined, before: Begun[]): Promise<Begun> {
  const result = Promise.allSettled([work]).then(([settled]) => settled);
  const begun: Begun = { result, isOver: false };
  void result.then(() => {
    begun.isOver = true;
  });
  const stillThere = () => before.filter((each) => !each.isOver).length;
  await until("it to end or to wait", 20_000, async () => begun.isOver || (await sessionsWaiting()) > stillThere());
  return begun;
}

async function sessionsWaiting(): Promise<number> {
  const { rows } = await watcher.query(
    `select count(*)::int as waiting from pg_stat_activity
     where datname = current_database() and wait_event_type = 'Lock'`,
  );
  return rows[0]?.waiting ?? 0;
}

describe("two operations on one run", () => {
  beforeAll(async () => {
    job = await makeJob(project, { max_concurrency: 5 });
    const { id, lease } = await subjectIn("running");
    anyVersion = lease.job_version_id;
    await api(world).post(`/v1/runs/${id}/cancel`);
  });

  const firsts = Object.entries(OPERATIONS).flatMap(([name, { from }]) => from.map((state) => [name, state] as const));

  /** Operations that affect a waiting run, or a leased one; a foreign outcome may come at any time. */
  const secondsFor = (state: State) =>
    Object.entries(OPERATIONS)
      .filter(([name, { from }]) => name === "settle" || from.some((each) => isHeld(each) === isHeld(state)))
      .map(([name]) => name);
  const isHeld = (state: State) => state === "running" || state === "silent";
  const names = Object.keys(OPERATIONS);
  /** Two operations run in one of their two orders; in the soak suite `races`, in both. */
  const isFirst = (one: string, other: string) => {
    const [a, b] = [names.indexOf(one), names.indexOf(other)];
    return isWholeSize() || a === b || a < b === ((a + b) % 2 === 0);
  };

  it.each(firsts)(
    "%s of a run that is %s, concurrent with other operations: only legal ends, nothing lost",
    async (first, state) => {
      for (const second of secondsFor(state).filter((name) => isFirst(first, name))) {
        const subject = await subjectIn(state);
        const what = `${first}, then ${second}, of a run that is ${state}`;
        // The first stops between its lock on the queue row and its change of the run, which has a new row version when
        // it continues; the second waits for it there.
        await gate.query("begin");
        await gate.query("update runs set updated_at = clock() where id = $1", [subject.id]);
        const one = await begin(OPERATIONS[first]?.act(world, subject), []);
        const two = await begin(OPERATIONS[second]?.act(others[0] ?? world, subject), [one]);
        await gate.query("commit");
        const results = [await one.result, await two.result];
        expect(
          results.filter(({ status }) => status === "rejected"),
          what,
        ).toEqual([]);
        expect(await disorder(world.connection), what).toEqual([]);
        await watcher.query("update run_queue set expires_at = null where run_id = $1", [subject.id]);
        await cancelRun(world.ctx, { ...cancellation, run_id: subject.id, project_id: project.id });
      }
    },
  );
});

describe("several queue rows", () => {
  const together: Record<string, (runs: ClaimedRun[]) => Promise<unknown>> = {
    "ending them": (runs) =>
      settleRuns(
        world.ctx,
        runs.map((run) => ({ run, outcome: COMPLETED })),
      ),
    "requeueing them": (runs) =>
      settleRuns(
        world.ctx,
        runs.map((run) => ({ run, outcome: FAILED })),
      ),
    "accepting them": (runs) => acceptRuns(world.ctx, runs),
    "renewing them": (runs) => renewLeases(world.ctx, runs),
  };

  it.each(Object.entries(together))("are locked in order of their ids by %s", async (_, work) => {
    const lane = await makeJob(project);
    await fillQueue(world.ctx, lane, 2);
    const [later, first] = (await claimSome(world.ctx, lane, 2)).sort((a, b) => (a.run_id < b.run_id ? 1 : -1));
    if (!first || !later) throw new Error("two should run");
    await gate.query("begin");
    await gate.query("select 1 from run_queue where run_id = $1 for update", [first.run_id]);
    const begun = await begin(work([later, first]), []);
    const { rows } = await gate.query("select 1 from run_queue where run_id = $1 for update skip locked", [
      later.run_id,
    ]);
    await gate.query("commit");
    expect((await begun.result).status).toBe("fulfilled");
    expect(rows).toHaveLength(1);
  });
});

const PASSES = rounds(8);

describe("many operations on many runs at once", () => {
  it("end consistently, without a deadlock", async () => {
    const random = randomFrom(testSeed("interleavings"));
    const oneOf = <T>(some: readonly T[]): T => some[Math.floor(random() * some.length)] as T;
    const crowd = await makeJob(project, { max_concurrency: 12, max_concurrency_per_key: 4, max_attempts: 50 });
    const keys = Array.from({ length: 50 }, (_, nth) => ({ concurrency_key: `k${nth % 4}` }));
    const ids = await fillQueue(world.ctx, crowd, keys);
    await watcher.query("update runs set parent_run_id = $1 where id = any($2)", [ids[0], ids.slice(1, 10)]);
    const instances = [world, ...others];
    const held: ClaimedRun[] = [];
    const act: (() => Promise<unknown>)[] = [
      async () => void held.push(...(await claimSome(oneOf(instances).ctx, crowd, 10))),
      () =>
        settleRuns(
          oneOf(instances).ctx,
          takeSome(held).map((run) => ({ run, outcome: oneOf([COMPLETED, FAILED]) })),
        ),
      () =>
        settleRuns(
          oneOf(instances).ctx,
          takeSome(held).map((run) => ({ run, outcome: { kind: "drained" } })),
        ),
      () => renewLeases(oneOf(instances).ctx, held.slice(0, 20)),
      () => noIssue(api(oneOf(instances)).post(`/v1/runs/${oneOf(ids)}/cancel`)),
      () => noIssue(api(oneOf(instances)).post(`/v1/runs/${oneOf(ids)}/pause`)),
      () => noIssue(api(oneOf(instances)).post(`/v1/runs/${oneOf(ids)}/resume`)),
      () => noIssue(api(oneOf(instances)).patch(`/v1/runs/${oneOf(ids)}`, { priority: Math.floor(random() * 10) })),
      () => noIssue(api(world).post(`${crowd.path}/${oneOf(["pause", "resume"])}`)),
      () => blockJob(oneOf(instances).ctx, { project_id: project.id, job_id: crowd.id }),
      () => unblockJob(oneOf(instances).ctx, { project_id: project.id, job_id: crowd.id }),
      () =>
        runSql(
          world.connection,
          "update run_queue set lease_until = clock() where run_id = $1 and lease_until is not null",
          [oneOf(ids)],
        ),
      () => sweepLeases(oneOf(instances).ctx),
      () => releaseDue(oneOf(instances).ctx),
    ];
    function takeSome(from: ClaimedRun[]): ClaimedRun[] {
      return from.splice(0, Math.ceil(random() * 8));
    }
    const workers = Array.from({ length: 12 }, async () => {
      for (let pass = 0; pass < PASSES; pass++) await oneOf(act)();
    });
    await Promise.all(workers);
    expect(await disorder(world.connection)).toEqual([]);

    await noIssue(api(world).post(`${crowd.path}/resume`));
    await finish(crowd, held);
    const left = "select blocked_on, lease_until from run_queue where job_id = $1";
    expect(await runSql(world.connection, left, [crowd.id])).toEqual([]);
    expect(await disorder(world.connection)).toEqual([]);
  });

  /** Completes everything that is leased or claimable, as if every delay had passed. */
  async function finish(job: TestJob, held: ClaimedRun[]): Promise<void> {
    let runs = held;
    do {
      await settleRuns(
        world.ctx,
        runs.map((run) => ({ run, outcome: COMPLETED })),
      );
      await watcher.query("update run_queue set run_at = clock() where blocked_on = 'not_due'");
      await releaseDue(world.ctx);
      runs = await claimSome(world.ctx, job, 100);
    } while (runs.length > 0);
  }

  it("none of these ran into a deadlock", async () => {
    expect(await countDeadlocks(world.connection)).toBe(0);
  });
});

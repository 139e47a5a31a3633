import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { disorder } from "../../../test/oracles/queue-order.ts";
import { testSeed } from "../../../test/seed/seed.ts";
import { runSql } from "../../../test/world/database.ts";
import { makeFlowWorld } from "../../../test/world/flow-world.ts";
import { claimSome, fillQueue, makeJob, type TestJob } from "../../../test/world/queue-world.ts";
import { rounds } from "../../../test/world/rounds.ts";
import { sizeOf } from "../../../test/world/size.ts";
import type { TestProject, World } from "../../../test/world/world.ts";
import { groupBy } from "../../platform/group-by.ts";
import type { ClaimedRun } from "../runs/claim/claimed-run.ts";
import { settleRuns } from "../runs/settle/settle-runs.ts";

let world: World;
let project: TestProject;
beforeAll(async () => {
  world = await makeFlowWorld();
  project = await world.project();
  await world.clock.pass("1s");
});

type Arrival = { priority: number; key: string; tenant: string };
type Pair = {
  limits: object;
  /** The limits that a run needs, as the queue names them. */
  needs: (job: TestJob, run: Arrival) => [string, string];
};

const named = (name: string, window_secs: number) => ({ name, key: `{{payload.${name}}}`, max: 1, window_secs });
const slotOfJob = (job: TestJob) => `job:${job.id}`;
const slotOfKey = (job: TestJob, { key }: Arrival) => `key:${job.id}:${key}`;
const startOfTenant = (job: TestJob, { tenant }: Arrival) => `rate:${job.id}:tenant:${tenant}`;

const PAIRS: [string, Pair][] = [
  [
    "max_concurrency and a limit per key",
    {
      limits: { max_concurrency: 3, max_concurrency_per_key: 1 },
      needs: (job, run) => [slotOfJob(job), slotOfKey(job, run)],
    },
  ],
  [
    "max_concurrency and a rate",
    {
      limits: { max_concurrency: 2, rate_limit_max: 2, rate_limit_window_secs: 10 },
      needs: (job) => [slotOfJob(job), `rate:${job.id}::`],
    },
  ],
  [
    "max_concurrency and a rate per tenant",
    {
      limits: { max_concurrency: 2, rate_limit_keys: [named("tenant", 10)] },
      needs: (job, run) => [slotOfJob(job), startOfTenant(job, run)],
    },
  ],
  [
    "a limit per key and a rate per tenant",
    {
      limits: { max_concurrency_per_key: 1, rate_limit_keys: [named("tenant", 10)] },
      needs: (job, run) => [slotOfKey(job, run), startOfTenant(job, run)],
    },
  ],
  [
    "two rates",
    {
      limits: { rate_limit_keys: [named("tenant", 10), named("key", 15)] },
      needs: (job, run) => [startOfTenant(job, run), `rate:${job.id}:key:${run.key}`],
    },
  ],
];

const arrival = fc.record({
  priority: fc.integer({ min: -2, max: 2 }),
  key: fc.nat(2).map((nth) => `k${nth}`),
  tenant: fc.nat(2).map((nth) => `t${nth}`),
});
const event = fc.oneof(
  { weight: 4, arbitrary: arrival.map((run) => ({ kind: "arrive" as const, run })) },
  { weight: 3, arbitrary: fc.constant({ kind: "claim" as const, run: null }) },
  { weight: 2, arbitrary: fc.constant({ kind: "end" as const, run: null }) },
  { weight: 1, arbitrary: fc.constant({ kind: "pass" as const, run: null }) },
);

type Row = {
  run_id: string;
  rank: number;
  since: number;
  blocked_on: string | null;
  granted_by: string | null;
  kept: string[] | null;
};

/** Queued runs that are not leased. */
const readLine = (job: TestJob): Promise<Row[]> =>
  runSql(
    world.connection,
    `select run_id, extract(epoch from rank_at)::float8 as rank, blocked_on, granted_by, kept,
       extract(epoch from greatest(run_at, released_at))::float8 as since
     from run_queue where job_id = $1 and lease_until is null`,
    [job.id],
  );

const hasSlot = ({ granted_by, kept }: Row, limit: string) => granted_by === limit || Boolean(kept?.includes(limit));
const waits = (row: Row, limit: string) => row.blocked_on === limit || hasSlot(row, limit);
const isLater = (one: Row, other: Row) =>
  one.rank > other.rank || (one.rank === other.rank && one.run_id > other.run_id);

/**
 * Whether the rules let `run` start while `other` waits for the limit. A run that has waited too goes by rank, or by a
 * slot that it has while the other has none; a newcomer also needs that the other got its slot later.
 */
function isBehind(other: Row, run: Row, limit: string): boolean {
  if (run.granted_by === null) return isLater(other, run) && hasSlot(other, limit) && other.since > run.since;
  return isLater(other, run) || (hasSlot(run, limit) && !hasSlot(other, limit));
}

/**
 * Starts while another run, which the rules put first, keeps waiting for a limit that both need. One that got its slot in
 * the same claim was not overtaken: there was room for both.
 */
function overtaken(started: Row[], before: Row[], after: Row[], needs: (run_id: string) => string[]): string[] {
  const keepsWaiting = (other: Row, limit: string) => (row: Row) =>
    row.run_id === other.run_id && waits(row, limit) && hasSlot(row, limit) === hasSlot(other, limit);
  return started.flatMap((run) =>
    needs(run.run_id).flatMap((limit) =>
      before
        .filter((other) => waits(other, limit) && !isBehind(other, run, limit))
        .filter((other) => after.some(keepsWaiting(other, limit)))
        .map(({ run_id }) => `${run.run_id} before ${run_id} under ${limit}`),
    ),
  );
}

/** The runs of a job with two limits, and the oracle that checks every claim. */
async function openBench({ limits, needs }: Pair) {
  const job = await makeJob(project, limits);
  const running: ClaimedRun[] = [];
  const arrived = new Map<string, Arrival>();
  const started: string[] = [];
  const needsOf = (run_id: string) => needs(job, arrived.get(run_id) as Arrival);

  async function arrive(...runs: Arrival[]): Promise<void> {
    const triggers = runs.map(({ priority, key, tenant }) => {
      const of = "max_concurrency_per_key" in limits ? { concurrency_key: key } : {};
      return { priority, payload: { key, tenant }, ...of };
    });
    const ids = await fillQueue(world.ctx, job, triggers);
    for (const [nth, id] of ids.entries()) arrived.set(id, runs[nth] as Arrival);
  }
  async function claim(): Promise<void> {
    const before = await readLine(job);
    const claimed = await claimSome(world.ctx, job, 100);
    const ids = new Set(claimed.map((run) => run.run_id));
    const starts = before.filter((row) => ids.has(row.run_id));
    expect(overtaken(starts, before, await readLine(job), needsOf)).toEqual([]);
    running.push(...claimed);
    started.push(...ids);
  }
  async function end(): Promise<void> {
    const run = running.shift();
    if (run) await settleRuns(world.ctx, [{ run, outcome: { kind: "completed", result_json: "null" } }]);
  }
  async function pass(): Promise<void> {
    await world.clock.pass("4s");
    await world.tick("release-rate-limits");
  }
  return { arrived, started, arrive, claim, end, pass };
}

let alone = 0;
/** Behind all others in rank. Each shares one limit with them, and has the other for itself. */
const rivals = (): Arrival[] =>
  ["0", "1", "2"].flatMap((nth) => [
    { priority: -50, key: `k${nth}`, tenant: `alone${alone++}` },
    { priority: -50, key: `alone${alone++}`, tenant: `t${nth}` },
  ]);

const MAX_ROUNDS = 60;

describe.each(PAIRS)("under %s", (_, pair) => {
  const title =
    "in any order of operations none overtakes another, none is lost, and none waits for ever for its rivals";
  it(title, { timeout: rounds(60_000) }, async () => {
    const property = fc.asyncProperty(fc.array(event, { minLength: 8, maxLength: sizeOf(12, 20) }), async (events) => {
      const { arrived, started, arrive, claim, end, pass } = await openBench(pair);
      for (const { kind, run } of events) {
        if (kind === "arrive" && run) await arrive(run);
        if (kind === "claim") await claim();
        if (kind === "end") await end();
        if (kind === "pass") await pass();
      }
      const first = [...arrived.keys()];
      const isLeft = () => first.some((id) => !started.includes(id));
      let round = 0;
      for (; isLeft() && round < MAX_ROUNDS; round++) {
        await arrive(...rivals());
        for (let ended = 0; ended < 3; ended++) await end();
        await claim();
        await claim();
        await pass();
        await claim();
        await claim();
      }
      expect([isLeft(), round]).toEqual([false, round]);
      const alike = groupBy(first, (id) => JSON.stringify(arrived.get(id)));
      for (const ids of alike.values()) expect(started.filter((id) => ids.includes(id))).toEqual(ids);
    });
    await fc.assert(property, { seed: testSeed("limit-pairs"), numRuns: rounds(1), endOnFailure: true });
    expect(await disorder(world.connection)).toEqual([]);
  });
});

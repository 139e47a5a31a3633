import { beforeAll, describe, expect, it } from "vitest";
import { resolveDueTriggers } from "../../src/flow/events/resolve-due-triggers.ts";
import type { ClaimedRun } from "../../src/flow/runs/claim/claimed-run.ts";
import type { Outcome } from "../../src/flow/runs/dispatch/outcome.ts";
import { sweepLeases } from "../../src/flow/runs/maintain/sweep-leases.ts";
import { settleRuns } from "../../src/flow/runs/settle/settle-runs.ts";
import { progressRuns } from "../../src/flow/workflows/progress/progress-runs.ts";
import { signRunToken } from "../../src/platform/access/credentials/run-token.ts";
import { checkHistory } from "../harness/check.ts";
import { keepCommits, loadHistory, ofProject } from "../harness/load-history.ts";
import { disorder } from "../oracles/queue-order.ts";
import { randomFrom, testSeed } from "../seed/seed.ts";
import { countDeadlocks } from "../statements/count-deadlocks.ts";
import { runSql } from "../world/database.ts";
import { claimSome, makeJob, type TestJob } from "../world/queue-world.ts";
import { isWholeSize, sizeOf } from "../world/size.ts";
import { makeWorld, type TestProject, type World } from "../world/world.ts";
import { dropReadyDatabases } from "../world/world-databases.ts";
import { consumeAll, NOT_SIMULATED } from "./check-simulations.ts";
import { openMembers, type Simulated } from "./members.ts";
import { openScheduler, type Scheduler } from "./scheduler.ts";

/** Pairs of `npm test`, chosen by the seed; the soak suite `simulation` runs all of them. */
const CHOSEN = sizeOf(2, Number.POSITIVE_INFINITY);
const MAX_STATEMENTS = 40;

/** A workflow run of two steps, and the job run of the first one in some state. */
type Subject = { workflow_run_id: string; run_id: string; key: string; lease: ClaimedRun };
type State = "due" | "silent" | "waiting" | "dead";
type Operation = { from: State[]; act: (member: Simulated, subject: Subject) => Promise<unknown> };

let world: World;
let project: TestProject;
let scheduler: Scheduler;
let members: Simulated[];
let job: TestJob;
let workflow_id: string;

beforeAll(async () => {
  await dropReadyDatabases();
  world = await makeWorld();
  await keepCommits(world.connection);
  await world.clock.set("2030-01-01T00:00:00.000Z");
  scheduler = openScheduler(world.connection);
  members = await openMembers(world, scheduler, 2);
  project = await world.project();
  job = await makeJob(project, { max_concurrency: 5, retry_strategy: "custom", retry_delays_secs: [0] });
  const steps = [
    { step_ref: "a", job_id: job.id },
    { step_ref: "b", job_id: job.id, depends_on: ["a"] },
  ];
  workflow_id = (await project.api.post("/v1/workflows", { name: "Two", steps })).body.id;
});

const COMPLETED: Outcome = { kind: "completed", result_json: "null" };
const FAILED: Outcome = { kind: "failed", retryable: true, error: { code: "no", message: "No." } };
const settle = (outcome: Outcome) => (member: Simulated, subject: Subject) =>
  settleRuns(member.ctx, [{ run: subject.lease, outcome }]);
const call = (method: string, path: (subject: Subject) => string) => async (member: Simulated, subject: Subject) => {
  const { status, text } = await member
    .api(project.key)
    .send(method, path(subject), method === "POST" ? {} : undefined);
  if (status >= 500) throw new Error(`${status} ${text}`);
};

/** Each with the states in which it has an effect. */
const OPERATIONS: Record<string, Operation> = {
  claim: { from: ["due"], act: ({ ctx }) => claimSome(ctx, job) },
  heartbeat: {
    from: ["silent"],
    act: async (member, { run_id, lease }) => {
      const api = member.api(signRunToken(member.ctx, lease));
      const { status, text } = await api.post(`/sdk/v1/runs/${run_id}/heartbeat`, {});
      if (status >= 500) throw new Error(text);
    },
  },
  complete: { from: ["silent"], act: settle(COMPLETED) },
  fail: { from: ["silent"], act: settle(FAILED) },
  cancel: {
    from: ["due", "silent", "waiting"],
    act: call("POST", ({ workflow_run_id }) => `/v1/workflow-runs/${workflow_run_id}/cancel`),
  },
  timeout: { from: ["waiting"], act: ({ ctx }) => resolveDueTriggers(ctx) },
  event: { from: ["waiting"], act: call("POST", ({ key }) => `/v1/events/${key}/send`) },
  "delete trigger": { from: ["waiting"], act: call("DELETE", ({ key }) => `/v1/events/${key}`) },
  sweep: { from: ["silent"], act: ({ ctx }) => sweepLeases(ctx) },
  retry: {
    from: ["dead"],
    act: call("POST", ({ workflow_run_id }) => `/v1/workflow-runs/${workflow_run_id}/steps/a/retry`),
  },
  replay: { from: ["dead"], act: call("POST", ({ run_id }) => `/v1/runs/${run_id}/replay`) },
  progress: {
    from: ["due", "dead"],
    act: ({ ctx }, { workflow_run_id }) => progressRuns(ctx, [{ project_id: project.id, workflow_run_id }]),
  },
};

let made = 0;

async function subjectIn(state: State): Promise<Subject> {
  const { body } = await project.api.post(`/v1/workflows/${workflow_id}/trigger`, {});
  await progressRuns(world.ctx, [{ project_id: project.id, workflow_run_id: body.id }]);
  const [step] = await runSql<{ run_id: string }>(
    world.connection,
    "select id as run_id from runs where workflow_run_id = $1 and step_ref = 'a'",
    [body.id],
  );
  const subject = { workflow_run_id: body.id, run_id: step?.run_id ?? "", key: `key-${++made}` };
  const [claimed] = state === "due" ? [] : await claimSome(world.ctx, job);
  const lease = claimed ?? foreignLease(subject.run_id);
  if (claimed && claimed.run_id !== subject.run_id) throw new Error("another run is in the queue");
  if (state === "silent") {
    await settleRuns(world.ctx, [{ run: lease, outcome: { kind: "accepted" } }]);
    await update("run_queue set lease_until = clock() where run_id = $1", subject.run_id);
  }
  if (state === "waiting") {
    const api = world.as(signRunToken(world.ctx, lease));
    await api.post(`/sdk/v1/runs/${subject.run_id}/wait-for-event`, { event_key: subject.key, timeout_secs: 60 });
    await update("event_triggers set expires_at = clock() where job_run_id = $1", subject.run_id);
  }
  if (state === "dead") {
    await settleRuns(world.ctx, [{ run: lease, outcome: { ...FAILED, retryable: false } as Outcome }]);
    await progressRuns(world.ctx, [{ project_id: project.id, workflow_run_id: body.id }]);
  }
  return { ...subject, lease };
}

const update = (change: string, id: string) => runSql(world.connection, `update ${change}`, [id]);
let anyVersion: string;

/** An outcome from an instance that never held the run: it must be ignored. */
function foreignLease(run_id: string): ClaimedRun {
  const lease = { project_id: project.id, run_id, attempt: 1, lease_token: run_id, tries_used: 0, crash_count: 0 };
  return {
    ...lease,
    max_attempts: 3,
    slots: null,
    job_version_id: anyVersion,
    deadline: "2030-01-02T00:00:00Z",
  } as ClaimedRun;
}

const isBusy = (number: number) => members[number]?.isBusy() ?? false;

/** Runs up to so many statements of an instance; fewer if it ends or waits for a lock. Returns how many. */
async function runStatements(number: number, most: number): Promise<number> {
  for (let count = 0; count < most; count++) {
    const next = (await scheduler.waiting(isBusy)).find(({ member }) => member === number);
    if (!next) return count;
    await next.go("runs");
  }
  return most;
}

/** The second operation runs as a whole, or until a lock stops it, after so many statements of the first. */
async function interleave(first: string, second: string, subject: Subject, after: number): Promise<boolean> {
  const failures: unknown[] = [];
  const begin = (number: number, name: string) =>
    members[number]
      ?.start(name, async () => void (await OPERATIONS[name]?.act(members[number] as Simulated, subject)))
      .catch((error) => failures.push(error));
  scheduler.closeGates();
  const one = begin(0, first);
  const isCut = (await runStatements(0, after)) === after && members[0]?.doing !== undefined;
  const two = begin(1, second);
  await runStatements(1, MAX_STATEMENTS);
  for (let ran = 1; ran > 0; ) {
    ran = (await runStatements(0, MAX_STATEMENTS)) + (await runStatements(1, MAX_STATEMENTS));
  }
  scheduler.openGates();
  await Promise.all([one, two]);
  expect(failures, `${first}, after ${after} statements ${second}`).toEqual([]);
  return isCut;
}

/** Ends everything that the subject has started. */
async function clearAway({ workflow_run_id }: Subject): Promise<void> {
  await project.api.post(`/v1/workflow-runs/${workflow_run_id}/cancel`, {});
  await project.api.post("/v1/runs/bulk-cancel-all", { filter: { job_id: job.id } });
  for (const task of ["run-outbox", "work-on-batches", "run-outbox"]) while (await world.tick(task));
  const live = await runSql(world.connection, "select id, status from runs where finished_at is null", []);
  expect(live, "what is left after everything was canceled").toEqual([]);
}

const PAIRS = Object.entries(OPERATIONS).flatMap(([first, { from }]) =>
  from.flatMap((state) => Object.keys(OPERATIONS).map((second) => ({ first, second, state }))),
);

function choose(): typeof PAIRS {
  if (isWholeSize()) return PAIRS;
  const random = randomFrom(testSeed("pairs"));
  return PAIRS.map((pair) => ({ pair, at: random() }))
    .sort((a, b) => a.at - b.at)
    .slice(0, CHOSEN)
    .map(({ pair }) => pair);
}

describe("an operation on a run, and another one between any two of its statements", () => {
  beforeAll(async () => {
    anyVersion =
      (await runSql<{ id: string }>(world.connection, "select id from job_versions limit 1", []))[0]?.id ?? "";
  });

  it.each(choose())("$first of a run that is $state, and $second: only legal ends, nothing lost", async (pair) => {
    for (let after = 0, isCut = true; isCut && after < MAX_STATEMENTS; after++) {
      const subject = await subjectIn(pair.state);
      isCut = await interleave(pair.first, pair.second, subject, after);
      schedules++;
      expect(await disorder(world.connection), `after ${after} statements`).toEqual([]);
      await clearAway(subject);
    }
  });

  it("leaves a history without a violation, and no deadlock", async () => {
    await consumeAll(world);
    const seen = { calls: [], dispatches: [], reports: [], received_deliveries: [], faults: [], timings: [] };
    const history = await loadHistory(world.connection, { ...seen, is_settled: true });
    const violations = Object.entries(checkHistory(ofProject(history, project.id)));
    expect(violations.filter(([name]) => !NOT_SIMULATED.includes(name))).toEqual([]);
    expect(schedules).toBeGreaterThan(0);
    console.info(`${schedules} schedules`);
    expect(await countDeadlocks(world.connection)).toBe(0);
  });
});
let schedules = 0;

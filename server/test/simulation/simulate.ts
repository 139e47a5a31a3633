import type { ClaimedRun } from "../../src/flow/runs/claim/claimed-run.ts";
import { renewLeases } from "../../src/flow/runs/claim/renew-leases.ts";
import { settleRuns } from "../../src/flow/runs/settle/settle-runs.ts";
import { ltkOf } from "../../src/platform/access/credentials/run-token.ts";
import type { JournaledCall, JournaledDispatch } from "../harness/history.ts";
import { choicesFrom } from "../soak/differential/choices.ts";
import type { Operation } from "../soak/differential/operation.ts";
import { randomSequence } from "../soak/differential/random-sequence.ts";
import { CANDIDATES } from "../soak/recount/play-freely.ts";
import { runSql } from "../world/database.ts";
import type { TestProject, World } from "../world/world.ts";
import { type Behavior, behave } from "./endpoint.ts";
import { heal } from "./heal.ts";
import { claim, LANE, runTask, type Simulated } from "./members.ts";
import { type Run, report, type Simulation, TASKS } from "./run.ts";
import type { Fate, Scheduler } from "./scheduler.ts";

const OPERATIONS = 24;
const MIN_TURNS = 400;
const MAX_TURNS = 4_000;
/** PostgreSQL ends sessions that are idle in a transaction for longer. */
const IDLE_IN_TRANSACTION_SECS = 10;
const START = Date.parse("2030-01-01T00:00:00.000Z");
let startsAt = START;

/** One project under random operations and faults on all instances, then without faults until everything has ended. */
export async function simulate(
  world: World,
  scheduler: Scheduler,
  members: Simulated[],
  seed: number,
): Promise<Simulation> {
  const choices = choicesFrom(seed);
  startsAt += 7 * 3_600_000;
  let nowMs = startsAt;
  await world.clock.set(new Date(nowMs).toISOString());
  const project = await world.project();
  const seen: Simulation = {
    ...{ seed, project, calls: [], dispatches: [], reports: [], problems: [], healedSecs: undefined },
    counts: { statements: 0, crashes: 0, lost: 0, freezes: 0, operations: 0 },
  };
  const run: Run = {
    ...{ world, scheduler, members, choices, seen, sent: new Map() },
    nowMs: () => nowMs,
    pass: async (secs) => {
      nowMs += secs * 1_000;
      await world.clock.set(new Date(nowMs).toISOString());
    },
  };
  const [definitions, operations] = await operationsOf(seed);
  for (const operation of definitions) await send(run, project.api, operation);
  const refused = seen.calls.filter(({ status }) => status !== 201 && status !== 409);
  seen.problems.push(...refused.map(({ path, status }) => `${path} was refused with ${status}`));
  await breakThings(run, operations);
  await heal(run);
  return seen;
}

/** What is defined first, and what happens during the faults. */
async function operationsOf(seed: number): Promise<[Operation[], Operation[]]> {
  const first = randomSequence(seed);
  const isDefinition = ({ call }: Operation) => call === "POST /v1/jobs" || call === "POST /v1/workflows";
  const more = [1, 2, 3].flatMap((nth) => randomSequence(seed + nth * 7_919_999).filter((each) => !isDefinition(each)));
  const others = [...first.filter((each) => !isDefinition(each)), ...more];
  const isPlayed = ({ call, body }: Operation) =>
    !call.includes("/webhook-subscriptions") && !call.includes("/simulate") && !("cron" in (body ?? {}));
  return [first.filter(isDefinition), others.filter(isPlayed).slice(0, OPERATIONS)];
}

async function breakThings(run: Run, operations: Operation[]): Promise<void> {
  const { scheduler, members, choices, seen } = run;
  const left = [...operations];
  const work = new Set<Promise<void>>();
  const replies: Reply[] = [];
  const frozenAt = new Map<Simulated, number>();
  scheduler.closeGates();

  const begin = (member: Simulated, what: string, act: () => Promise<void>) => {
    const done = member.start(what, act).then(
      () => void work.delete(done),
      (error) => {
        work.delete(done);
        seen.problems.push(`${what} failed: ${(error as Error).stack}`);
      },
    );
    work.add(done);
  };
  const isLive = (member: Simulated) => member.frozenUntil <= run.nowMs();

  for (let turn = 0; turn < MAX_TURNS; turn++) {
    const waiting = await scheduler.waiting((number) => members[number]?.isBusy() ?? false);
    const ready = waiting.filter(({ member }) => isLive(members[member] as Simulated));
    const idle = members.filter((member) => member.doing === undefined && isLive(member));
    const isQuiet = left.length === 0 && replies.length === 0 && waiting.length === 0 && work.size === 0;
    if (turn >= MIN_TURNS && isQuiet) break;
    const chosen = choices.weighted<Turn>([
      [ready.length > 0 ? 60 : 0, "statement"],
      [idle.length > 0 && left.length > 0 ? 4 : 0, "operation"],
      [idle.length > 0 && replies.length > 0 ? 8 : 0, "reply"],
      [idle.length > 0 ? 5 : 0, "claim"],
      [idle.length > 0 ? 6 : 0, "task"],
      [idle.length > 0 ? 1 : 0, "renew"],
      [2, "clock"],
      [0.25, "freeze"],
      [0.15, "crash"],
    ]);
    const member = choices.one(idle);
    if (chosen === "statement") {
      const fate = choices.weighted<Fate>([
        [60, "runs"],
        [1, "lost before"],
        [1, "lost after"],
      ]);
      if (fate !== "runs") seen.counts.lost++;
      seen.counts.statements++;
      await choices.one(ready).go(fate);
    } else if (chosen === "operation") {
      const operation = left.shift() as Operation;
      seen.counts.operations++;
      begin(member, operation.call, () => send(run, member.api(run.seen.project.key), operation, member));
    } else if (chosen === "reply") {
      const [reply] = replies.splice(choices.upTo(replies.length - 1), 1);
      if (reply) deliver(reply);
    } else if (chosen === "claim") {
      begin(member, "claim", async () => {
        const claimed = await claim(member, seen.project.id, 1 + choices.upTo(4));
        for (const each of claimed) receive(member, each);
      });
    } else if (chosen === "task") {
      const name = choices.one(TASKS);
      begin(member, name, () => runTask(member, name));
    } else if (chosen === "renew") {
      begin(member, "renew", async () => {
        for (const id of await renewLeases(member.ctx, [...member.held.values()])) member.held.delete(id);
      });
    } else if (chosen === "clock") {
      await run.pass(
        choices.weighted([
          [6, 1],
          [3, 5],
          [1, 36],
        ]),
      );
      for (const [frozen, sinceMs] of frozenAt) {
        if (run.nowMs() - sinceMs < IDLE_IN_TRANSACTION_SECS * 1_000) continue;
        frozenAt.delete(frozen);
        for (const each of waiting.filter(({ member }) => member === frozen.number)) await each.go("lost before");
      }
    } else if (chosen === "freeze") {
      const victim = choices.one(members);
      victim.frozenUntil = run.nowMs() + choices.one([3, 12, 45]) * 1_000;
      frozenAt.set(victim, run.nowMs());
      seen.counts.freezes++;
    } else {
      seen.counts.crashes++;
      choices.one(members).crash();
    }
  }
  scheduler.openGates();
  await Promise.all(work);

  /** The endpoint has the dispatch now; whether its reply arrives, when, and how often is up to chance. */
  function receive(member: Simulated, claimed: ClaimedRun): void {
    run.sent.set(claimed.run_id, claimed);
    seen.dispatches.push(dispatchOf(claimed, run.nowMs()));
    const behavior = behave(claimed, choices);
    const reply: Reply = { member, instance_id: member.ctx.instance_id, run: claimed, behavior };
    replies.push(
      ...choices.weighted([
        [8, [reply]],
        [1, [reply, reply]],
        [1, []],
      ]),
    );
  }

  function deliver(reply: Reply): void {
    const { member, run: claimed, behavior } = reply;
    // A new process never heard of the run: the reply is lost.
    if (reply.instance_id !== member.ctx.instance_id) return;
    if (member.doing !== undefined || !isLive(member)) return void replies.push(reply);
    const [first, ...rest] = behavior.calls;
    const other = choices.one(members.filter((each) => each.doing === undefined && isLive(each)));
    if (first) {
      begin(other, first.verb, () => report(run, other, claimed, first));
      replies.push({ ...reply, behavior: { ...behavior, calls: rest } });
      return;
    }
    if (behavior.later)
      replies.push({ ...reply, behavior: { ...behavior, calls: [behavior.later], later: undefined } });
    begin(member, "settle", async () => {
      try {
        await settleRuns(member.ctx, [{ run: claimed, outcome: behavior.reply }]);
        if (member.held.get(claimed.run_id) === claimed) member.held.delete(claimed.run_id);
      } catch (error) {
        replies.push(reply); // as the settler does
        throw error;
      }
    });
  }
}

type Turn = "statement" | "operation" | "reply" | "claim" | "task" | "renew" | "clock" | "freeze" | "crash";
type Reply = { member: Simulated; instance_id: string; run: ClaimedRun; behavior: Behavior };

function dispatchOf(run: ClaimedRun, received_at: number): JournaledDispatch {
  const { run_id, attempt, project_id, job_id, workflow_run_id, step_ref } = run;
  const item = /\[(\d+)\]/.exec(step_ref ?? "")?.[1];
  const place = { workflow_run_id, step_ref, item: item === undefined ? null : Number(item) };
  return {
    run_id,
    attempt,
    lease: ltkOf(run.lease_token),
    project_id,
    job_id,
    ...place,
    received_at,
    responded_at: null,
    status: null,
  };
}

/** Pausing a paused job and resuming a running one succeed, and leave no audit event. */
const CHANGES_NOTHING = /^\/v1\/jobs\/[^/]+\/(pause|resume)$/;

/** Sends an operation on the objects that its picks find; nothing if there are none. */
async function send(run: Run, api: TestProject["api"], operation: Operation, member?: Simulated): Promise<void> {
  const { world, seen } = run;
  const found: string[] = [];
  for (const { of, status = "", nth } of operation.picks ?? []) {
    const rows = await runSql<{ id: string }>(world.connection, CANDIDATES[of], [seen.project.id, status]);
    const id = rows[nth % Math.max(1, rows.length)]?.id;
    if (id === undefined) return;
    found.push(of === "event" ? encodeURIComponent(id) : id);
  }
  const fill = (text: string) =>
    text.replaceAll("$endpoint", `http://${LANE.host}/`).replaceAll(/\$(\d)/g, (_, nth) => found[Number(nth)] ?? "");
  const [method = "", path = ""] = operation.call.split(" ");
  const body = operation.body && JSON.parse(fill(JSON.stringify(operation.body)));
  const claimed = run.sent.get(found[0] ?? "");
  if (operation.isOfRun && member) {
    if (claimed) await report(run, member, claimed, { verb: path.split("/").at(-1) ?? "", body });
    return;
  }
  const entry: JournaledCall = {
    ...{ project_id: seen.project.id, method, path: fill(path), url: "", started_at: run.nowMs(), ended_at: null },
    ...{ idempotency_key: body?.idempotency_key ?? null, status: 0, request_id: null, ids: [], in_flight: 0 },
  };
  if (!body?.dry_run && !CHANGES_NOTHING.test(entry.path)) seen.calls.push(entry);
  const incarnation = member?.ctx.instance_id;
  const response = await api.send(method, fill(path), body, { headers: operation.headers ?? {} });
  // The process that would have sent it is gone.
  if (incarnation !== member?.ctx.instance_id) return;
  const { status, headers, body: answer, text } = response;
  if (status >= 500 && status !== 503) seen.problems.push(`${operation.call}: ${status} ${text}`);
  const results: { run_id?: string }[] = Array.isArray(answer?.results) ? answer.results : [];
  const ids = [answer?.id, ...results.map(({ run_id }) => run_id)].filter((id) => typeof id === "string");
  Object.assign(entry, { ended_at: run.nowMs(), status, request_id: headers.get("x-request-id"), ids });
}

import { allTasks } from "../../src/engine/all-tasks.ts";
import { runTaskOnce } from "../../src/engine/run-task-once.ts";
import { claimLimited } from "../../src/flow/runs/claim/claim-limited.ts";
import { claimRuns } from "../../src/flow/runs/claim/claim-runs.ts";
import type { ClaimedRun } from "../../src/flow/runs/claim/claimed-run.ts";
import { whenProgressed } from "../../src/flow/workflows/progress/progress-soon.ts";
import type { Ctx } from "../../src/platform/context.ts";
import type { Db } from "../../src/platform/database/db.ts";
import { newId } from "../../src/platform/ids.ts";
import { newServiceState } from "../../src/platform/service-state.ts";
import { type Client, makeClient } from "../world/client.ts";
import type { Instance, World } from "../world/world.ts";
import type { Member, Scheduler } from "./scheduler.ts";

/** An instance of the service that the simulation runs, kills and starts again. */
export type Simulated = {
  number: number;
  ctx: Ctx;
  /** The current activity. */
  doing: string | undefined;
  /** Claimed by it; a crash loses them. */
  held: Map<string, ClaimedRun>;
  /** In virtual milliseconds: until then it gets no CPU. */
  frozenUntil: number;
  api: (bearer: string) => Client;
  /** Does work, one at a time, and resolves when it is over, with undefined if the instance died meanwhile. */
  start: <T>(what: string, work: () => Promise<T>) => Promise<T | undefined>;
  /** Crashes and restarts at once: its memory is lost and its transactions are rolled back. */
  crash: () => void;
  isBusy: () => boolean;
};

export const LANE = { host: "127.0.0.1:1029" };

export async function openMembers(world: World, scheduler: Scheduler, count: number): Promise<Simulated[]> {
  const members: Simulated[] = [];
  for (let number = 0; number < count; number++) {
    members.push(simulate(await world.anotherInstance(), scheduler, number));
  }
  return members;
}

function simulate({ ctx, url }: Instance, scheduler: Scheduler, number: number): Simulated {
  const real: Db = ctx.db;
  let member: Member = scheduler.connect(real, number);
  let incarnation = 0;
  const begin = () => {
    member = scheduler.connect(real, number);
    Object.assign(ctx, { db: member.db, state: newServiceState(), instance_id: newId() });
  };
  begin();
  const self: Simulated = {
    number,
    ctx,
    doing: undefined,
    held: new Map(),
    frozenUntil: 0,
    api: (bearer) => makeClient(url, { authorization: `Bearer ${bearer}` }),
    start: async (what, work) => {
      const mine = incarnation;
      self.doing = what;
      try {
        const result = await work();
        return mine === incarnation ? result : undefined;
      } catch (error) {
        if (mine === incarnation && !isExpected(error)) throw error;
        return undefined;
      } finally {
        if (mine === incarnation) self.doing = undefined;
      }
    },
    crash: () => {
      incarnation++;
      member.die();
      self.doing = undefined;
      self.held.clear();
      self.frozenUntil = 0;
      begin();
    },
    isBusy: () => self.doing !== undefined && !scheduler.isHeld(number),
  };
  return self;
}

/** A connection that the simulation has broken: the pass fails, and the next one does its work. */
function isExpected(error: unknown): boolean {
  const { code } = error as { code?: string };
  return code === "ECONNRESET" || code === "service_unavailable";
}

/** Claims runs of the project, as its dispatcher would. */
export async function claim(member: Simulated, project_id: string, share: number): Promise<ClaimedRun[]> {
  const { ctx } = member;
  const { claimed, unchecked } = await claimRuns(ctx, [{ ...LANE, project_id, share, bound: "-infinity" }]);
  for (const run of claimed) member.held.set(run.run_id, run);
  const limited = await claimLimited(ctx, unchecked);
  for (const run of limited) member.held.set(run.run_id, run);
  return [...claimed, ...limited];
}

export async function runTask(member: Simulated, name: string): Promise<void> {
  const task = allTasks.find((each) => each.name === name);
  if (!task) throw new Error(`there is no task ${name}`);
  // A frozen or killed instance must not run on: a few pages are enough for a simulation.
  for (let pages = 0; pages < 5 && (await runTaskOnce(member.ctx, task)); pages++);
  await whenProgressed(member.ctx);
}

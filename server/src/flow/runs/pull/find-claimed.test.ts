import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { makeJob } from "../../../../test/seed/make-workflow.ts";
import { makeFlowWorld } from "../../../../test/world/flow-world.ts";
import { testWorker } from "../../../../test/world/test-worker.ts";
import { until } from "../../../../test/world/until.ts";
import type { TestProject, World } from "../../../../test/world/world.ts";
import type { Ctx } from "../../../platform/context.ts";
import { claimForWorker } from "./claim-for-worker.ts";
import { findClaimed, findNow } from "./find-claimed.ts";
import { lanesOf } from "./worker-lanes.ts";

let world: World;
let project: TestProject;
let job: { id: string };
beforeAll(async () => {
  world = await makeFlowWorld();
  project = await world.project();
  job = await makeJob(project, { name: "Pulled", delivery: "pull", endpoint_url: null });
});

const serves = { queues: undefined, keyQueues: null, jobs: undefined, environments: undefined };
const of = (claim_id: string = randomUUID()) => ({ project_id: project.id, worker_id: "w1", claim_id, serves });

/** Counts the statements that look for earlier runs. */
function counting(): { ctx: Ctx; lookups: () => number } {
  let lookups = 0;
  const { ctx } = world;
  const query: Ctx["db"]["query"] = (text, parameters) => {
    if (text.includes("claim_id = g.claim_id")) lookups++;
    return ctx.db.query(text, parameters);
  };
  return { ctx: { ...ctx, db: { ...ctx.db, query } }, lookups: () => lookups };
}

const LATER_MS = 60_000;

describe("looking for the runs of a repeated claim", () => {
  it("R21 shares a statement among claims that can wait, and gives each its own runs", async () => {
    const claim_id = randomUUID();
    const { body: run } = await project.api.post(`/v1/jobs/${job.id}/trigger`, {});
    await testWorker(project.api).claimOne({ claim_id });
    const { ctx, lookups } = counting();
    const found = await Promise.all([
      findClaimed(ctx, of(), LATER_MS).found,
      findClaimed(ctx, of(claim_id), LATER_MS).found,
      findClaimed(ctx, { ...of(claim_id), serves: { ...serves, keyQueues: ["other"] } }, LATER_MS).found,
      findClaimed(ctx, { ...of(claim_id), worker_id: "w2" }, LATER_MS).found,
      findClaimed(ctx, { ...of(claim_id), project_id: randomUUID() }, LATER_MS).found,
      findNow(ctx, of()),
    ]);
    expect(found.map((runs) => runs.map(({ run_id }) => run_id))).toEqual([[], [run.id], [], [], [], []]);
    expect(lookups()).toBe(1);
  });

  it("R21 finds none for the wait and for the claim of one request, which look at once", async () => {
    const request = of();
    const waiting = findClaimed(world.ctx, request, LATER_MS);
    expect(await findNow(world.ctx, request)).toEqual([]);
    expect(await waiting.found).toEqual([]);
  });

  it("a claim that the database refuses fails alone", async () => {
    const { ctx } = world;
    const found = await Promise.allSettled([findClaimed(ctx, of("not an id"), LATER_MS).found, findNow(ctx, of())]);
    expect(found.map(({ status }) => status)).toEqual(["rejected", "fulfilled"]);
  });

  it("a poll whose runs were looked for with another's takes no wake-up from it afterwards", async () => {
    const { ctx } = world;
    const state = await lanesOf(ctx, project.id);
    let isClosed = false;
    const closing: (() => void)[] = [];
    const asked = {
      ...of(),
      max: 1,
      isClosed: () => isClosed,
      onClose: (fn: () => void) => void closing.push(fn),
      isAuthorized: async () => true,
    };
    const polling = claimForWorker(ctx, { ...asked, wait_secs: 20 });
    await until("the poll to wait", 20_000, () => state.polls.size() === 1);
    expect(await claimForWorker(ctx, { ...asked, ...of(), wait_secs: 0 })).toEqual([]);
    await until("it to wait for runs", 20_000, () => state.polls.size() > 0);
    expect(state.polls.size()).toBe(1);
    isClosed = true;
    for (const close of closing) close();
    expect(await polling).toEqual([]);
  });
});

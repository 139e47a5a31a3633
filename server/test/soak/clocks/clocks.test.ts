import { setTimeout as pause } from "node:timers/promises";
import { beforeAll, describe, expect, it } from "vitest";
import type { ProjectClient } from "../../harness/client.ts";
import { type Harness, openHarness } from "../../harness/open-harness.ts";
import { startSteadyLoad } from "../../harness/steady-load.ts";
import { makeJob, makeWorkflow } from "../../seed/make-workflow.ts";
import { SECRETS, useServices } from "../../service/start-service.ts";
import { makeClient } from "../../world/client.ts";
import { runSql } from "../../world/database.ts";
import { scenarioSize } from "../../world/size.ts";
import { until } from "../../world/until.ts";

useServices();

/** How far the clock of each instance is ahead. */
const SHIFTS_SECS = [600, -600];
const MANY_JUMPS = ["1 hour", "0", "-1 hour", "0", "10 minutes", "-10 minutes", "1 day", "0"];
const JUMPS = scenarioSize({ quick: ["1 hour", "0"], usual: ["1 hour", "0", "-1 hour", "0"], whole: MANY_JUMPS });
/** Longer than a lease, and its sweep. */
const PHASE_MS = scenarioSize({ quick: 40_000, usual: 45_000, whole: 90_000 });
const PER_SEC = 5;
const WITHIN_MS = 150_000;
const LONG_MS = 12_000;
const HEARTBEAT_SECS = 20;

let harness: Harness;
beforeAll(async () => {
  const preload = new URL("shift-clock.mjs", import.meta.url).href;
  harness = await openHarness({
    ...{ name: "clocks", instances: SHIFTS_SECS.length },
    env: (nth) => ({ NODE_OPTIONS: `--import=${preload}`, CLOCK_SHIFT_SECS: String(SHIFTS_SECS[nth]) }),
  });
  const statements = [
    "create table clock_step (step interval)",
    "insert into clock_step values ('0')",
    `create or replace function clock() returns timestamptz language plpgsql stable parallel safe as $$ begin
       return statement_timestamp() + (select step from clock_step);
     end $$`,
  ];
  for (const statement of statements) await runSql(harness.connection, statement);
});

type Work = { jobs: Record<"plain" | "long" | "accepted" | "rated" | "narrow", string>; workflow: string };

async function makeWork(project: ProjectClient): Promise<Work> {
  const { endpoint } = harness.receiver;
  const lasting = (ms: number) => async () => {
    await pause(ms);
    return {};
  };
  const short = endpoint("short", lasting(100));
  const accepted = endpoint("accepted", async ({ reply, report }) => {
    await reply({ status: 202 });
    for (let passed = 0; passed < LONG_MS; passed += 4_000) {
      await pause(4_000);
      await report("heartbeat");
    }
    await report("complete", { result: {} });
    return {};
  });
  const job = async (fields: object) => (await makeJob({ api: project }, { endpoint_url: short, ...fields })).id;
  const jobs = {
    plain: await job({}),
    long: await job({ endpoint_url: endpoint("long", lasting(LONG_MS)) }),
    accepted: await job({ endpoint_url: accepted, heartbeat_timeout_secs: HEARTBEAT_SECS, timeout_secs: 86_400 }),
    rated: await job({ rate_limit_max: 4, rate_limit_window_secs: 2 }),
    narrow: await job({ max_concurrency: 1 }),
  };
  const sleep = { step_ref: "sleep", type: "sleep", sleep_duration: "2s" };
  const steps = [sleep, { step_ref: "work", job_id: jobs.plain, depends_on: ["sleep"] }];
  const { path } = await makeWorkflow({ api: project }, { steps });
  return { jobs, workflow: path };
}

/** Starts one of each kind, and returns how long each took to complete. */
async function probe(project: ProjectClient, { jobs, workflow }: Work): Promise<Record<string, number>> {
  const paths = Object.entries(jobs).map(([name, id]) => [name, `/v1/jobs/${id}/trigger`, "/v1/runs"] as const);
  const took = [...paths, ["workflow", `${workflow}/trigger`, "/v1/workflow-runs"] as const].map(
    async ([name, path, list]) => {
      const startedAt = performance.now();
      const { body } = await project.insist(path, { payload: { probe: name } });
      const isCompleted = async () => (await project.get(`${list}/${body.id}`)).body.status === "completed";
      await until(`the probe ${name} to complete`, WITHIN_MS, isCompleted);
      return [name, Math.round(performance.now() - startedAt)] as const;
    },
  );
  return Object.fromEntries(await Promise.all(took));
}

async function invariantsHold(): Promise<void> {
  const admin = makeClient(harness.instances.urls()[0] ?? "", { "x-internal-secret": SECRETS.INTERNAL_SECRET });
  await until("all invariants to hold", WITHIN_MS, async () => {
    const { body } = await admin.get("/health/invariants");
    return body.status === "ok";
  });
}

describe("two instances whose clocks are ten minutes ahead and behind", () => {
  it("violate no invariant: time is that of the database", { timeout: 600_000 }, async () => {
    const project = await harness.project();
    const work = await makeWork(project);
    const load = startSteadyLoad(project, Object.values(work.jobs), PER_SEC);
    console.info(`with shifted instances: ${JSON.stringify(await probe(project, work))} ms`);
    await load.stop();
    await harness.settle(WITHIN_MS, project);
    const { history, violations } = await harness.check(project);
    expect(violations).toEqual({});
    expect(history.runs.filter(({ attempt }) => attempt !== 1)).toEqual([]);
  });

  it("lose no lease and do not stand still when the database's clock jumps", {
    timeout: 1_200_000,
  }, async () => {
    const project = await harness.project();
    const work = await makeWork(project);
    const load = startSteadyLoad(project, Object.values(work.jobs), PER_SEC);
    await pause(LONG_MS);
    for (const jump of JUMPS) {
      await runSql(harness.connection, "update clock_step set step = $1::interval", [jump]);
      const [took] = await Promise.all([probe(project, work), pause(PHASE_MS)]);
      console.info(`the clock is ${jump} ahead: ${JSON.stringify(took)} ms`);
    }
    await load.stop();
    await harness.settle(WITHIN_MS, project);
    const history = await harness.history();
    const runs = history.runs.filter(({ project_id }) => project_id === project.project_id);
    console.info(`${load.acknowledged()} triggers acknowledged, ${runs.length} runs`);
    expect(runs.filter(({ attempt, status }) => attempt !== 1 || status !== "completed")).toEqual([]);
    expect(runs.length).toBeGreaterThanOrEqual(load.acknowledged());
    await invariantsHold();
  });
});

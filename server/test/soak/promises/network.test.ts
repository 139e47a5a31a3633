import { setTimeout as pause } from "node:timers/promises";
import { expect, it } from "vitest";
import { type ChaosProxy, openChaosProxy, openDatabaseProxy } from "../../harness/chaos-proxy.ts";
import type { ProjectClient } from "../../harness/client.ts";
import { openHarness } from "../../harness/open-harness.ts";
import { makeJob, makeWorkflow } from "../../seed/make-workflow.ts";
import { useServices } from "../../service/start-service.ts";
import { scenarioSize } from "../../world/size.ts";

useServices();

const SIZE = scenarioSize({
  quick: { rounds: 1, dropped: 0.3 },
  usual: { rounds: 2, dropped: 0.3 },
  whole: { rounds: 20, dropped: 0.3 },
});
const EVERY_MS = 60;
const CALM_MS = 1_500;
const FAULT_MS = 2_000;

it("triggers with idempotency keys are executed once, however the database connection breaks", async () => {
  let database: ChaosProxy | undefined;
  const harness = await openHarness({
    name: "network",
    databaseUrl: async (connection) => {
      const proxy = await openDatabaseProxy(connection);
      database = proxy;
      return proxy.url;
    },
  });
  const { receiver, random } = harness;
  if (!database) throw new Error("there is no proxy");
  const endpoints = await openChaosProxy({ port: receiver.port, host: "127.0.0.1" });
  const project = await harness.project();
  const endpoint_url = receiver.endpoint("work", ({ dispatch: { attempt } }) => ({ body: { attempt } }), endpoints);
  const job = await makeJob({ api: project }, { endpoint_url, max_attempts: 20, retry_strategy: "fixed" });
  const steps = ["a", "b", "c"].map((step_ref, nth, all) => ({
    step_ref,
    job_id: job.id,
    depends_on: all.slice(0, nth),
  }));
  const workflow = await makeWorkflow({ api: project }, { steps });

  const load = startLoad(project, { job: `/v1/jobs/${job.id}`, workflow: workflow.path });
  for (let round = 0; round < SIZE.rounds; round++) {
    for (const fault of faultsOf(database, endpoints, random)) {
      await fault();
      await pause(FAULT_MS);
      await heal(database, endpoints);
      await pause(CALM_MS);
    }
  }
  const triggered = await load.stop();
  await harness.settle(120_000);

  const { history, violations } = await harness.check();
  const unanswered = history.calls.filter(({ status }) => status === 0 || status >= 500).length;
  console.info(
    `${triggered} triggers, ${unanswered} calls repeated, ${database.dropped()} replies of the database dropped`,
  );
  expect(violations).toEqual({});
  expect(history.runs.length + history.workflow_runs.length).toBeGreaterThanOrEqual(triggered);
  expect(database.dropped()).toBeGreaterThan(0);
});

/** A statement that writes, or a commit: afterwards the caller cannot know whether it was executed. */
const WRITES = /commit|insert|update|delete/i;

function faultsOf(database: ChaosProxy, endpoints: ChaosProxy, random: () => number): (() => unknown)[] {
  return [
    () => database.dropReplies((request) => random() < SIZE.dropped && WRITES.test(request.toString("latin1"))),
    () => database.cut(),
    () => database.blackhole(),
    () => database.delay(200),
    () => database.throttle(64 * 1_024),
    () => endpoints.cut(),
    () => endpoints.dropReplies(() => random() < SIZE.dropped),
  ];
}

async function heal(...proxies: ChaosProxy[]): Promise<void> {
  for (const proxy of proxies) {
    proxy.dropReplies(undefined);
    proxy.delay(0);
    proxy.throttle(0);
    await proxy.heal();
  }
}

/** Job runs and workflow runs alternately, each repeated until it gets a response. */
function startLoad({ insist }: ProjectClient, paths: { job: string; workflow: string }) {
  const calls: Promise<unknown>[] = [];
  let isStopped = false;
  const running = (async () => {
    for (let nth = 0; !isStopped; nth++) {
      const path = nth % 3 === 0 ? paths.workflow : paths.job;
      calls.push(insist(`${path}/trigger`, { payload: { nth }, idempotency_key: `key-${nth}` }));
      await pause(EVERY_MS);
    }
  })();
  return {
    stop: async (): Promise<number> => {
      isStopped = true;
      await running;
      return (await Promise.all(calls)).length;
    },
  };
}

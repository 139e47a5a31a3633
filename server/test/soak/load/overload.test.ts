import { execFile } from "node:child_process";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import type { ProjectClient } from "../../harness/client.ts";
import { type Harness, openHarness } from "../../harness/open-harness.ts";
import { useServices } from "../../service/start-service.ts";
import { makeClient } from "../../world/client.ts";
import { scenarioSize } from "../../world/size.ts";
import { until } from "../../world/until.ts";

useServices();

const SIZE = scenarioSize({
  quick: { secs: 10, accepted: 5 },
  usual: { secs: 30, accepted: 20 },
  whole: { secs: 60, accepted: 50 },
});
const CAPACITY_SECS = 10;
const TIMES_CAPACITY = 10;
/** Of the load, more of which are in flight than the service lets wait. */
const CONNECTIONS = 3_000;
const HEARTBEAT_MS = 2_000;
const HEARTBEAT_TIMEOUT_SECS = 20;
const LEAST_GOODPUT = 0.8;
const REFUSED_WITHIN_MS = 100;
const ADMITTED_WITHIN_MS = 1_000;
const RECOVERED_WITHIN_MS = 15_000;
const WITHIN_MS = 240_000;

describe("ten times as many triggers as an instance takes", () => {
  it("refuses the surplus at once and serves the others; heartbeats and health checks are never refused", {
    timeout: 900_000,
  }, async () => {
    const harness = await openHarness({ name: "overload", instances: 1 });
    const project = await harness.project();
    const endpoint_url = harness.receiver.endpoint("work", ({ dispatch: { attempt } }) => ({ body: { attempt } }));
    const { body: job } = await project.post("/v1/jobs", { name: "Work", endpoint_url, max_attempts: 10 });
    const path = `/v1/jobs/${job.id}/trigger`;
    const end = await startAccepted(harness, project);
    const base = await measureBase(project, path);
    const peak = await send(harness, project, { path, secs: CAPACITY_SECS, connections: 128 });
    const capacity = (peak.inTime[201] ?? 0) / peak.secs;
    const probe = probeHealth(harness);
    const perSec = capacity * TIMES_CAPACITY;
    const overload = await send(harness, project, { path, secs: SIZE.secs, perSec, connections: CONNECTIONS });
    const overAt = Date.now();
    const recoveredMs = await recovery(project, path, base, overAt);
    const health = await probe.stop();
    await end();
    await harness.settle(WITHIN_MS, project);
    const { history, violations } = await harness.check(project);
    const goodput = (overload.inTime[201] ?? 0) / overload.secs / capacity;
    const refused = overload.statuses[503];
    console.info(
      `capacity ${Math.round(capacity)} triggers a second, offered ${Math.round(overload.sent / overload.secs)} a second for ${SIZE.secs} s ` +
        `(${overload.unsent} more had no connection): goodput ${goodput.toFixed(2)} of the capacity; statuses ${JSON.stringify(overload.statuses)}; ` +
        `${health.length} health checks, p99 ${percentile(health.map(({ ms }) => ms))} ms, ` +
        `${harness.receiver.reports.length} reports of running jobs; base p99 ${base} ms, again after ${recoveredMs} ms`,
    );
    expect(violations).toEqual({});
    expect(Object.keys(overload.statuses).map(Number).toSorted()).toEqual([201, 503]);
    expect(health.filter(({ status }) => status !== 200)).toEqual([]);
    expect(harness.receiver.reports.filter(({ accepted }) => !accepted)).toEqual([]);
    expect(history.transitions.filter(({ cause }) => cause === "lease_lost")).toEqual([]);
    expect(goodput).toBeGreaterThanOrEqual(LEAST_GOODPUT);
    expect(overload.statuses[201]?.p99).toBeLessThanOrEqual(ADMITTED_WITHIN_MS);
    expect(refused?.p99).toBeLessThanOrEqual(REFUSED_WITHIN_MS);
    expect(recoveredMs).toBeLessThanOrEqual(RECOVERED_WITHIN_MS);
  });
});

type Sent = {
  secs: number;
  sent: number;
  unsent: number;
  /** Responses before the end, by status. */
  inTime: Record<string, number>;
  statuses: Record<string, { count: number; p50: number; p99: number; max: number }>;
};

/** From a process of its own: this one runs the endpoint. */
async function send(harness: Harness, { key }: ProjectClient, options: object): Promise<Sent> {
  const port = Number(new URL(harness.instances.urls()[0] ?? "").port);
  const program = new URL("send-triggers.mjs", import.meta.url).pathname;
  const { stdout } = await promisify(execFile)(process.execPath, [program, JSON.stringify({ port, key, ...options })]);
  return JSON.parse(stdout);
}

/** Runs that were accepted with 202 and send heartbeats until they have to end. */
async function startAccepted({ receiver }: Harness, project: ProjectClient): Promise<() => Promise<void>> {
  let isOver = false;
  const open: Promise<unknown>[] = [];
  const endpoint_url = receiver.endpoint("accepted", async ({ reply, report }) => {
    await reply({ status: 202 });
    const running = (async () => {
      while (!isOver) {
        await report("heartbeat");
        await pause(HEARTBEAT_MS);
      }
      await report("complete", { result: {} });
    })();
    open.push(running);
    await running;
    return {};
  });
  const fields = { name: "Accepted", endpoint_url, heartbeat_timeout_secs: HEARTBEAT_TIMEOUT_SECS };
  const { body: job } = await project.post("/v1/jobs", fields);
  for (let nth = 0; nth < SIZE.accepted; nth++) await project.post(`/v1/jobs/${job.id}/trigger`);
  await until("the accepted runs", WITHIN_MS, () => open.length === SIZE.accepted);
  return async () => {
    isOver = true;
    await Promise.all(open);
  };
}

const SAMPLES = 50;

/** The p99 of triggers one after another. */
async function measureBase(project: ProjectClient, path: string): Promise<number> {
  const took: number[] = [];
  for (let nth = 0; nth < SAMPLES; nth++) {
    const startedAt = performance.now();
    await project.call("POST", path, { payload: {} });
    took.push(performance.now() - startedAt);
  }
  return percentile(took);
}

/** When triggers take no longer than before, twice at most. */
async function recovery(project: ProjectClient, path: string, base: number, since: number): Promise<number> {
  for (;;) {
    const startedAt = Date.now();
    if ((await measureBase(project, path)) <= 2 * base || Date.now() - since > WITHIN_MS) return startedAt - since;
  }
}

type Health = { status: number; ms: number };

function probeHealth({ instances }: Harness): { stop: () => Promise<Health[]> } {
  const seen: Health[] = [];
  let isOver = false;
  const client = makeClient(instances.urls()[0] ?? "", {});
  const probing = (async () => {
    for (let nth = 0; !isOver; nth++) {
      const startedAt = performance.now();
      const response = await client.get(nth % 2 === 0 ? "/health" : "/health/ready").catch(() => undefined);
      seen.push({ status: response?.status ?? 0, ms: performance.now() - startedAt });
      await pause(250);
    }
  })();
  return {
    stop: async () => {
      isOver = true;
      await probing;
      return seen;
    },
  };
}

function percentile(values: readonly number[], share = 0.99): number {
  const sorted = values.toSorted((a, b) => a - b);
  return Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0);
}

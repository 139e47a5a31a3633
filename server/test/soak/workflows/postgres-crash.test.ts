import { setTimeout as pause } from "node:timers/promises";
import { pino } from "pino";
import { describe, expect, it } from "vitest";
import { migrate } from "../../../src/platform/database/migrate.ts";
import { openHarness } from "../../harness/open-harness.ts";
import { type InstalledServer, needTools, startInstalledServer } from "../../outside/installed-postgres.ts";
import { processesIn, useServices } from "../../service/start-service.ts";
import { runSql } from "../../world/database.ts";
import { scenarioSize } from "../../world/size.ts";
import { until } from "../../world/until.ts";
import { leftovers, readRepairs, wrongEnds } from "./check-workflows.ts";
import { startLoad } from "./load.ts";
import { makeWorkflows } from "./orders.ts";
import { type Probe, probeInstances } from "./probe-instances.ts";

useServices();

const SIZE = scenarioSize({
  quick: { orders: 60, everyMs: 400, kills: 3, gapMs: [4_000, 6_000] as const },
  usual: { orders: 400, everyMs: 400, kills: 20, gapMs: [5_000, 10_000] as const },
  whole: { orders: 2_900, everyMs: 90, kills: 20, gapMs: [5_000, 20_000] as const },
});
const WITHIN_MS = 120_000;
const REFUSED_WITHIN_MS = 1_000;
const UNREADY_WITHIN_MS = 2_000;
const WRITES_WITHIN_MS = 2_000;
const READY_WITHIN_MS = 5_000;

type Outage = { killedAt: number; acceptsAt: number };

describe("workflows while the postmaster of their database is killed with -9 and started again", () => {
  it("lose nothing acknowledged and end as their payload requires; all else is refused at once", {
    timeout: 1_200_000,
  }, async () => {
    const server = await startInstalledServer(await needTools());
    const connection = { ...server.connection, host: "127.0.0.1" };
    await migrate(connection, pino({ level: "silent" }));
    const harness = await openHarness({ name: "crash of PostgreSQL", connection });
    const { instances, receiver, random } = harness;
    const client = await harness.project();
    const workflows = await makeWorkflows(client, receiver, random);
    const plain = receiver.endpoint("plain", () => ({}));
    const { body: job } = await client.post("/v1/jobs", { name: "Plain", endpoint_url: plain, max_attempts: 10 });
    const load = startLoad(client, workflows, { orders: SIZE.orders, everyMs: SIZE.everyMs, name: "order" });
    const probe = probeInstances(instances, client.key, job.id);
    const outages: Outage[] = [];
    for (let nth = 0; nth < SIZE.kills; nth++) {
      const [least, most] = SIZE.gapMs;
      await pause(least + random() * (most - least));
      outages.push(await crash(server, random() * 2_000));
    }
    await load.done;
    await pause(READY_WITHIN_MS);
    await probe.stop();
    const lastAt = Date.now();
    await harness.settle(WITHIN_MS);
    const { history, violations } = await harness.check();
    const runs = new Set(history.dispatches.map(({ run_id }) => run_id));
    const figures = outages.map((outage) => figuresOf(outage, probe));
    console.info(
      `${load.started.size} workflow runs, ${history.runs.length} runs, ${history.dispatches.length} dispatches of ${runs.size}, ` +
        `${load.sent} events, ${history.calls.filter(({ status }) => status === 0 || status >= 500).length} calls repeated; ` +
        `quiet ${Math.round((Date.now() - lastAt) / 1_000)} s after the load; repairs ${JSON.stringify(await readRepairs(instances.urls()))}; ` +
        `delays of this machine up to ${Math.round(probe.delayMs())} ms`,
    );
    console.table(figures);
    expect(violations).toEqual({});
    expect(await leftovers(connection)).toEqual({});
    expect(await wrongEnds(connection, load.started)).toEqual([]);
    expect(await lostTriggers(connection, probe)).toEqual([]);
    expectAnswers(probe, figures);
  });
});

/** The backends of a killed postmaster notice its end; until the last is gone, no other can start. */
async function crash(server: InstalledServer, downMs: number): Promise<Outage> {
  const killedAt = performance.now();
  await server.stop("SIGKILL");
  await pause(downMs);
  await until("the backends to end", WITHIN_MS, () => processesIn(server.place).length === 0);
  await server.start();
  return { killedAt, acceptsAt: performance.now() };
}

/** Times of the slowest of the instances. */
function figuresOf({ killedAt, acceptsAt }: Outage, { answers }: Probe) {
  const urls = [...new Set(answers.map(({ url }) => url))];
  const firstOf = (kind: string, since: number, isIt: (status: number) => boolean) =>
    Math.max(
      ...urls.map((url) => {
        const first = answers.find((a) => a.url === url && a.kind === kind && a.at >= since && isIt(a.status));
        return Math.round(first ? first.at + first.ms - since : Number.POSITIVE_INFINITY);
      }),
    );
  const isDuring = (a: { at: number; kind: string }) => a.kind === "write" && a.at > killedAt && a.at < acceptsAt;
  const during = answers.filter(isDuring).map(({ ms }) => ms);
  return {
    down_ms: Math.round(acceptsAt - killedAt),
    unready_ms: firstOf("ready", killedAt, (status) => status === 503),
    asked: during.length,
    slowest_answer_ms: Math.round(Math.max(0, ...during)),
    write_ms: firstOf("write", acceptsAt, (status) => status === 201),
    ready_ms: firstOf("ready", acceptsAt, (status) => status === 200),
  };
}

async function lostTriggers(connection: Parameters<typeof runSql>[0], { answers }: Probe): Promise<string[]> {
  const acknowledged = answers
    .filter(({ kind, status }) => kind === "write" && status === 201)
    .map(({ text }) => JSON.parse(text).id as string);
  expect(acknowledged.length).toBeGreaterThan(SIZE.kills * 20);
  const rows = await runSql<{ id: string }>(
    connection,
    "select id from unnest($1::text[]) as acknowledged (id) where not exists (select 1 from runs where runs.id::text = acknowledged.id)",
    [acknowledged],
  );
  return rows.map(({ id }) => id);
}

function expectAnswers(probe: Probe, figures: ReturnType<typeof figuresOf>[]): void {
  const writes = probe.answers.filter(({ kind }) => kind === "write");
  expect([...new Set(writes.map(({ status }) => status))].sort()).toEqual([201, 503]);
  const refusals = writes.filter(({ status }) => status === 503);
  expect(refusals.filter(({ retryAfter }) => retryAfter !== "1")).toEqual([]);
  const slack = probe.delayMs();
  expect(p99(refusals.map(({ ms }) => ms))).toBeLessThan(REFUSED_WITHIN_MS + slack);
  for (const { down_ms, unready_ms, write_ms, ready_ms } of figures) {
    // An outage shorter than the interval of the health check may pass unnoticed.
    if (down_ms > UNREADY_WITHIN_MS + slack) expect(unready_ms).toBeLessThan(UNREADY_WITHIN_MS + slack);
    expect(write_ms).toBeLessThan(WRITES_WITHIN_MS + slack);
    expect(ready_ms).toBeLessThan(READY_WITHIN_MS + slack);
  }
}

function p99(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.99)] ?? 0;
}

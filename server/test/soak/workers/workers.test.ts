import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Harness, openHarness } from "../../harness/open-harness.ts";
import { peak } from "../../oracles/sweep-line.ts";
import { useServices } from "../../service/start-service.ts";
import { runSql } from "../../world/database.ts";
import { scenarioSize } from "../../world/size.ts";
import { until } from "../../world/until.ts";

useServices();

const SIZE = scenarioSize({
  quick: { runs: 300, kills: 3 },
  usual: { runs: 2_000, kills: 8 },
  whole: { runs: 10_000, kills: 40 },
});
const WORKERS = 4;
const LIMITS = { queue: 12, job: 8, key: 3 };
const SCRIPT = resolve(import.meta.dirname, "worker-process.mjs");
const BATCH = 100;
/** The limited ones take turns at a few counters, so most runs have no limit. */
const JOBS = ["one", "free", "free", "other", "free", "free", "free", "free"];

type Entry = {
  kind: string;
  run_id: string;
  attempt: number;
  job_slug: string;
  key: string;
  outcome: string;
  worker_id: string;
  at: number;
};

let harness: Harness;
const workers: { process: ChildProcess; worker_id: string }[] = [];
const killedAt = new Map<string, number>();
const folder = mkdtempSync(join(tmpdir(), "workers-"));
beforeAll(async () => {
  harness = await openHarness({ name: "workers" });
}, 180_000);
afterAll(() => {
  for (const worker of workers) worker.process.kill("SIGKILL");
});

let nth = 0;
function startWorker(key: string, urls: string[]): { process: ChildProcess; worker_id: string } {
  const worker_id = `w${nth++}`;
  const args = [SCRIPT, urls.join(","), key, worker_id, join(folder, `${worker_id}.jsonl`)];
  return { worker_id, process: spawn(process.execPath, args, { stdio: "ignore" }) };
}

async function killWorker(at: number, key: string, urls: string[]): Promise<void> {
  const worker = workers[at];
  if (!worker) return;
  worker.process.kill("SIGKILL");
  await once(worker.process, "exit");
  killedAt.set(worker.worker_id, Date.now());
  workers[at] = startWorker(key, urls);
}

function journal(): Entry[] {
  const files = Array.from({ length: nth }, (_, each) => join(folder, `w${each}.jsonl`)).filter(existsSync);
  return files.flatMap((file) =>
    readFileSync(file, "utf8")
      .split("\n")
      // The last line of a killed worker may be cut off.
      .flatMap((line) => (line.endsWith("}") ? [JSON.parse(line) as Entry] : [])),
  );
}

/** The largest number of executions at one instant; one that has no end ended when its worker was killed. */
function peakOf(entries: Entry[], isCounted: (start: Entry) => boolean): number {
  const ends = new Map(
    entries.filter(({ kind }) => kind === "end").map((end) => [`${end.run_id} ${end.attempt}`, end.at]),
  );
  return peak(
    entries
      .filter((entry) => entry.kind === "start" && isCounted(entry))
      .map(({ run_id, attempt, worker_id, at }) => ({
        from: at,
        to: ends.get(`${run_id} ${attempt}`) ?? killedAt.get(worker_id) ?? at,
      })),
  );
}

describe("workers that pull", () => {
  it("R20 R22 lose no run and settle none twice when workers and instances are killed, and exceed no limit", {
    timeout: 1_800_000,
  }, async () => {
    const urls = harness.instances.urls();
    const client = await harness.project();
    const { key } = client;
    await client.post("/v1/queues", { name: "limited", max_concurrency: LIMITS.queue });
    for (const slug of ["one", "other"]) {
      const limits = { max_concurrency: LIMITS.job, max_concurrency_per_key: LIMITS.key };
      await client.post("/v1/jobs", { name: slug, slug, delivery: "pull", queue: "limited", ...limits });
    }
    await client.post("/v1/jobs", { name: "free", slug: "free", delivery: "pull" });
    for (let at = 0; at < WORKERS; at++) workers.push(startWorker(key, urls));
    for (let at = 0; at < SIZE.runs; at += BATCH) {
      const items = Array.from({ length: BATCH }, (_, each) => {
        const concurrency_key = `k${(at + each) % 7}`;
        return { concurrency_key, metadata: { key: concurrency_key }, idempotency_key: `run-${at + each}` };
      });
      await client.insist(`/v1/jobs/${JOBS[(at / BATCH) % JOBS.length]}/trigger/bulk`, { items });
    }
    for (let kill = 0; kill < SIZE.kills; kill++) {
      await pause(500 + harness.random() * 1_500);
      if (harness.random() < 0.5) await killWorker(Math.floor(harness.random() * WORKERS), key, urls);
      else await harness.instances.crash(Math.floor(harness.random() * 3), harness.random() * 1_000);
    }
    const count = async (sql: string) => (await runSql<{ count: number }>(harness.connection, sql))[0]?.count;
    const open = () => count("select count(*)::int as count from runs where finished_at is null");
    await until("all runs to end", 1_200_000, async () => (await open()) === 0);

    const states = await runSql(harness.connection, "select status, count(*)::int as count from runs group by status");
    expect(states).toEqual([{ status: "completed", count: SIZE.runs }]);
    const twice = `select count(*)::int as count from (
        select run_id from run_history where to_status = 'completed' group by run_id having count(*) > 1) t`;
    expect(await count(twice)).toBe(0);
    const falling = `select count(*)::int as count from (
        select attempt <= lag(attempt) over (partition by run_id order by ordinal) as falls
        from run_history where to_status = 'running') t where falls`;
    expect(await count(falling)).toBe(0);
    expect(await count("select coalesce(sum(active), 0)::int as count from concurrency_counters")).toBe(0);

    const entries = journal();
    const settled = entries.filter(({ kind, outcome }) => kind === "reported" && outcome === "settled");
    expect(new Set(settled.map(({ run_id }) => run_id)).size).toBe(settled.length);
    expect(peakOf(entries, ({ job_slug }) => job_slug !== "free")).toBeLessThanOrEqual(LIMITS.queue);
    for (const slug of ["one", "other"]) {
      expect(peakOf(entries, ({ job_slug }) => job_slug === slug)).toBeLessThanOrEqual(LIMITS.job);
      for (let key = 0; key < 7; key++)
        expect(peakOf(entries, (entry) => entry.job_slug === slug && entry.key === `k${key}`)).toBeLessThanOrEqual(
          LIMITS.key,
        );
    }
  });
});

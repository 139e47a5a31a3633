import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { History } from "../../harness/history.ts";
import type { Instances } from "../../harness/instances.ts";
import { openHarness } from "../../harness/open-harness.ts";
import { disorder } from "../../oracles/queue-order.ts";
import { useServices } from "../../service/start-service.ts";
import { runSql } from "../../world/database.ts";
import { scenarioSize } from "../../world/size.ts";
import { makeJobs } from "./jobs.ts";
import { startLoad } from "./load.ts";

useServices();

const SIZE = scenarioSize({
  quick: { runs: 200, everyMs: 900, keys: 4, kills: 2, stops: 1, accepted: 10 },
  usual: { runs: 1_200, everyMs: 900, keys: 4, kills: 6, stops: 1, accepted: 100 },
  whole: { runs: 20_000, everyMs: 450, keys: 12, kills: 40, stops: 8, accepted: 2_000 },
});
const FROZEN_MS = 45_000;
const PER_CALL = 25;

/** Rows left in the queue, if any. */
const LEFT = `
  select q.run_id, r.status, r.attempt, r.payload, q.blocked_on, q.lease_until, q.accepted_at, q.deadline, q.instance_id,
    i.seen_at, clock() as now, (
      select json_agg(json_build_array(t.to_status, t.cause, t.attempt, t.created_at) order by t.ordinal)
      from run_history t where t.run_id = r.id) as log
  from run_queue q join runs r on r.id = q.run_id left join instances i on i.id = q.instance_id
  order by q.run_id limit 20`;

describe("three instances that are killed one after another, others frozen for 45 s meanwhile", () => {
  it("lose no run, repeat only attempts of dead instances, accept no stale report, and keep every limit", async () => {
    const { connection, instances, receiver, random, project, settle, check } = await openHarness({ name: "hot-path" });
    const client = await project();
    const jobs = await makeJobs(client, receiver, random);
    const load = startLoad(client, { jobs, random }, { ...SIZE, perCall: PER_CALL });

    await makeFaults(instances, random);
    await load.done;
    const lastIssueAt = Date.now();
    await settle(60_000);
    const secs = Math.round((Date.now() - lastIssueAt) / 1_000);

    const { history, violations } = await check();
    console.info(figures(history, load, secs));
    for (const row of await runSql(connection, LEFT)) console.info(JSON.stringify(row));
    expect(violations).toEqual({});
    expect(await disorder(connection)).toEqual([]);
    // Guards against a test in which nothing happened.
    expect(load.answered / load.requests).toBeGreaterThan(0.7);
    expect(history.faults.reduce((sum, fault) => sum + fault.held.length, 0)).toBeGreaterThan(SIZE.kills);
    expect(history.reports.filter((report) => report.accepted).length).toBeGreaterThan(SIZE.accepted);
    const [sum] = await runSql(connection, "select coalesce(sum(active), 0)::int as active from concurrency_counters");
    expect(sum).toEqual({ active: 0 });
  }, 1_200_000);
});

/** One after another is frozen; meanwhile the others are killed in turn, each back up before the next is killed. */
async function makeFaults(instances: Instances, random: () => number): Promise<void> {
  await pause(4_000);
  const pickUp = () => {
    const up = [0, 1, 2].filter(instances.isUp);
    return up[Math.floor(random() * up.length)] ?? 1;
  };
  const freezeInTurn = async () => {
    for (let nth = 0; nth < SIZE.stops; nth++) {
      await instances.freeze(nth === 0 ? 0 : pickUp(), FROZEN_MS);
      await pause(random() * 3_000);
    }
  };
  const frozen = freezeInTurn();
  for (let nth = 0; nth < SIZE.kills; nth++) {
    await pause(3_000 + random() * 3_000);
    await instances.crash(pickUp(), random() * 2_000);
  }
  await frozen;
}

function figures(history: History, load: { requests: number; answered: number }, secs: number): string {
  const statuses = new Map<string, number>();
  for (const { status } of history.runs) statuses.set(status, (statuses.get(status) ?? 0) + 1);
  const repeats = history.transitions.filter(({ cause }) => cause === "lease_lost").length;
  const held = history.faults.map((fault) => fault.held.length);
  return (
    `${history.runs.length} runs ${JSON.stringify(Object.fromEntries(statuses))}, ${history.dispatches.length} dispatches; ` +
    `${held.length} faults that held leases of ${held.join(", ")}, ${repeats} rescued; ` +
    `${history.reports.length} reports, ${history.reports.filter((report) => !report.accepted).length} refused; ` +
    `${load.answered} of ${load.requests} calls got a response; idle ${secs} s after the last fault`
  );
}

import { describe, expect, it } from "vitest";
import type { RunSum } from "../../../flow/budget/run-sums.ts";
import { addDispatches, type Entry, newCosts } from "./cost-entries.ts";

const MINUTE = 60;

/** Dispatches that ran from the middle of one minute to the middle of another. */
function ran(from: number, to: number, dispatches = 1): RunSum {
  const half = (MINUTE * 1_000) / 2;
  const wall_ms = (to - from) * MINUTE * 1_000 * dispatches;
  return {
    ...{ project_id: "p", environment_id: "e", job_id: "j", job_version_id: "v", trigger_type: "api" },
    ...{ from_status: "running", to_status: "completed", cause: "completed", earliest: "" },
    ...{ at_s: to * MINUTE, began_s: from * MINUTE, count: dispatches, took_ms: null, waited_ms: null },
    ...{ tags: null, concurrency_key: null, created_by: "api_key:k", workflow_id: null, schedule_id: null },
    ...{ wall_ms, longest_ms: wall_ms / dispatches, compute_microusd: 0, reported_microusd: 0 },
    ...{ first_ms: half * dispatches, last_ms: half * dispatches },
  };
}

function busyMs(sums: RunSum[]): Map<number, number> {
  const costs = newCosts();
  addDispatches(costs, sums, 0);
  return new Map([...costs.jobs.values()].map(({ at_s, busy_ms }) => [at_s / MINUTE, busy_ms]));
}

/** Each minute of each dispatch, one by one. */
function plainly(sums: RunSum[]): Map<number, number> {
  const busy = new Map<number, number>();
  const add = (minute: number, ms: number) => busy.set(minute, (busy.get(minute) ?? 0) + ms);
  for (const { began_s, at_s, count, wall_ms, first_ms, last_ms } of sums) {
    const [from, to] = [(began_s ?? 0) / MINUTE, at_s / MINUTE];
    add(to, from === to ? wall_ms : last_ms);
    if (from < to) add(from, first_ms);
    for (let minute = from + 1; minute < to; minute++) add(minute, MINUTE * 1_000 * count);
  }
  return busy;
}

class CountingMap extends Map<string, Entry> {
  visits = 0;
  override get(name: string) {
    this.visits++;
    return super.get(name);
  }
}

describe("the busy time of a job's dispatches", () => {
  it("N7 equals a count minute by minute, however the dispatches overlap", () => {
    const sums = Array.from({ length: 300 }, (_, nth) => ran((nth * 7) % 50, 50 + ((nth * 13) % 90), 1 + (nth % 3)));
    sums.push(ran(3, 3), ran(4, 5), ran(200, 203), ran(210, 212, 4));
    expect(busyMs(sums)).toEqual(plainly(sums));
  });

  it("N7 is computed for a thousand day-long dispatches without visiting each minute of each", () => {
    const [day, dispatches] = [24 * 60, 1_000];
    const jobs = new CountingMap();
    const sums = Array.from({ length: dispatches }, (_, nth) => ran(nth, nth + day));
    addDispatches({ ...newCosts(), jobs }, sums, 0);
    expect(jobs.size).toBe(day + dispatches);
    const busy = [...jobs.values()].find(({ at_s }) => at_s === (day - 1) * MINUTE);
    expect(busy?.busy_ms).toBe(dispatches * MINUTE * 1_000);
    // Once for each minute, and for the first and the last of each dispatch.
    expect(jobs.visits).toBeLessThanOrEqual(day + 3 * dispatches);
  });
});

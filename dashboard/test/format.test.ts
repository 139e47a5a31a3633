import type { StreamChange } from "@millrace/contract/deliveries/streams";
import { triesOf } from "@millrace/contract/jobs/tries";
import type { Run } from "@millrace/contract/runs/runs";
import { describe, expect, it } from "vitest";
import { patchRun } from "../src/pages/shared-runs/patch-run.ts";
import { formatMoney, moneyFormat } from "../src/parts/format.ts";

describe("money", () => {
  it("is shown to the cent, and more precisely below a cent", () => {
    expect([0, 62_000, 130_000, 39_910_000].map(formatMoney)).toEqual(["$0.00", "$0.0620", "$0.13", "$39.91"]);
    expect(formatMoney(24)).toBe("< $0.0001");
  });

  it("uses the precision of the smallest amount for amounts read together", () => {
    const money = moneyFormat(130_000, 62_000);
    expect(`${money(130_000)} of ${money(62_000)}`).toBe("$0.1300 of $0.0620");
    expect(moneyFormat(0, 5_000_000)(0)).toBe("$0.00");
  });
});

describe("tries", () => {
  /** A stream event of a run, and the number of tries shown after it. */
  const transitions: [from: Run["status"], to: Run["status"], cause: string, attempt: number, shown: number][] = [
    ["pending", "running", "claimed", 1, 1],
    ["running", "waiting", "waiting", 1, 1],
    ["waiting", "pending", "event_received", 1, 1],
    ["pending", "running", "claimed", 2, 1],
    ["running", "pending", "drained", 2, 1],
    ["pending", "running", "claimed", 3, 1],
    ["running", "pending", "retry", 3, 1],
    ["pending", "running", "claimed", 4, 2],
    ["running", "waiting", "waiting", 4, 2],
    ["waiting", "pending", "resumed", 4, 1],
    ["pending", "running", "claimed", 5, 1],
    ["running", "pending", "lease_lost", 5, 1],
    ["pending", "running", "claimed", 6, 2],
    ["running", "pending", "timeout", 6, 2],
    ["pending", "running", "claimed", 7, 3],
    ["running", "failed", "failed", 7, 3],
  ];

  it("count failed and running attempts, but not waits and drains", () => {
    const at = "2030-01-01T00:00:00.000Z";
    let run = { status: "pending", attempt: 0, tries_used: 0, max_attempts: 3, updated_at: at } as Run;
    expect(triesOf(run)).toBe(0);
    for (const [from_status, status, cause, attempt, shown] of transitions) {
      const object = { from_status, status, cause, attempt };
      run = patchRun(run, { type: "run.status", at, object } as unknown as StreamChange);
      expect([from_status, cause, attempt, triesOf(run)]).toEqual([from_status, cause, attempt, shown]);
    }
    expect(triesOf({ ...run, status: "completed", tries_used: 0 })).toBe(1);
  });
});

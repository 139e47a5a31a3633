import { Registry } from "prom-client";
import { describe, expect, it } from "vitest";
import { snapshotGauge } from "./snapshot-gauge.ts";

describe("a snapshot gauge", () => {
  it("shows only the samples that were set last, and none before", async () => {
    const registry = new Registry();
    const gauge = snapshotGauge({ name: "queued", help: "Queued.", labelNames: ["job"] }, registry);
    const head = "# HELP queued Queued.\n# TYPE queued gauge\n";
    expect(await registry.metrics()).toBe(head);
    gauge.set([
      { labels: { job: "a" }, value: 1 },
      { labels: { job: "b" }, value: 2 },
    ]);
    gauge.set([{ labels: { job: 'b "x"' }, value: 3 }]);
    expect(await registry.metrics()).toBe(`${head}queued{job="b \\"x\\""} 3\n`);
    gauge.set([]);
    expect(await registry.metrics()).toBe(head);
  });
});

import { Histogram, Registry } from "prom-client";
import { describe, expect, it } from "vitest";
import { plainHistogram } from "./plain-histogram.ts";

const TOOK = { name: "took_seconds", help: "Time.", labelNames: ["job", "outcome"], buckets: [0.1, 1, 10] };
const VALUES = [0, 0.05, 0.1, 0.5, 1, 7, 10, 11, 4_000];

describe("an in-place histogram", () => {
  it("prints the same as prom-client's own for the same values", async () => {
    const [ours, theirs] = [new Registry(), new Registry()];
    const plain = plainHistogram(TOOK, ours);
    const full = new Histogram({ ...TOOK, registers: [theirs] });
    for (const outcome of ["completed", "failed"]) {
      const series = plain.series({ job: "a", outcome });
      for (const value of VALUES) {
        series.observe(value);
        full.observe({ job: "a", outcome }, value);
      }
    }
    expect(await ours.metrics()).toBe(await theirs.metrics());
  });

  it("has one series per set of labels", async () => {
    const plain = plainHistogram(TOOK, new Registry());
    plain.series({ job: "a" }).observe(1);
    plain.series({ job: "a" }).observe(2);
    const { values } = await plain.get();
    expect(values.filter(({ metricName }) => metricName === "took_seconds_count")).toEqual([
      { metricName: "took_seconds_count", labels: { job: "a" }, value: 2 },
    ]);
  });
});

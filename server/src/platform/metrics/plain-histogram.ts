import type { Metric, Registry } from "prom-client";

export type Series = { observe: (value: number) => void };

type Described = { name: string; help: string; labelNames: readonly string[]; buckets: readonly number[] };
type Counted = { labels: Record<string, string>; counts: number[]; sum: number };
type Value = { metricName: string; labels: Record<string, string | number>; value: number };

/**
 * A histogram whose callers keep their series: observing a value is two additions. prom-client's own hashes the labels
 * for each value, which took longer than a signature.
 */
export function plainHistogram(
  { name, help, labelNames, buckets }: Described,
  registry: Registry,
): { series: (labels: Record<string, string>) => Series; get: () => Promise<{ values: Value[] }> } {
  const known = new Map<string, Counted>();

  function series(labels: Record<string, string>): Series {
    const key = JSON.stringify(labels);
    const counted = known.get(key) ?? { labels, counts: [...buckets, 0].map(() => 0), sum: 0 };
    known.set(key, counted);
    const { counts } = counted;
    return {
      observe: (value) => {
        let at = 0;
        while (at < buckets.length && value > (buckets[at] ?? 0)) at++;
        counts[at] = (counts[at] ?? 0) + 1;
        counted.sum += value;
      },
    };
  }

  const metric = {
    name,
    help,
    labelNames,
    type: "histogram" as const,
    aggregator: "sum" as const,
    get: async () => ({ ...{ name, help, type: "histogram" }, values: valuesOf(name, buckets, [...known.values()]) }),
    observe: (labels: Record<string, string>, value: number) => series(labels).observe(value),
    reset: () => known.clear(),
  };
  registry.registerMetric(metric as unknown as Metric<string>);
  return { series, get: metric.get };
}

/** Buckets are cumulative. */
function valuesOf(name: string, buckets: readonly number[], all: Counted[]): Value[] {
  return all.flatMap(({ labels, counts, sum }) => {
    let count = 0;
    const below = [...buckets, "+Inf"].map((le, at) => {
      count += counts[at] ?? 0;
      return { metricName: `${name}_bucket`, labels: { le, ...labels }, value: count };
    });
    const whole = [
      { metricName: `${name}_sum`, labels, value: sum },
      { metricName: `${name}_count`, labels, value: count },
    ];
    return [...below, ...whole];
  });
}

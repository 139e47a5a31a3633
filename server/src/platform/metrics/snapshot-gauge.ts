import type { Metric, Registry } from "prom-client";

export type Sample = { labels: Record<string, string>; value: number };
export type SnapshotGauge = { set: (samples: readonly Sample[]) => void };

/**
 * A gauge whose samples are replaced together. Without samples it has none, where prom-client's own would report the
 * last value, or a zero that was never read.
 */
export function snapshotGauge(
  { name, help, labelNames }: { name: string; help: string; labelNames: readonly string[] },
  registry: Registry,
): SnapshotGauge {
  let current: readonly Sample[] = [];
  const metric = {
    name,
    help,
    labelNames,
    type: "gauge" as const,
    aggregator: "max" as const,
    get: async () => ({ ...{ name, help, type: "gauge" }, values: current }),
    reset: () => {
      current = [];
    },
  };
  registry.registerMetric(metric as unknown as Metric<string>);
  return {
    set: (samples) => {
      current = samples;
    },
  };
}

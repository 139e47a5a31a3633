import type { Registry } from "prom-client";

/** prom-client's types hide the names of a metric's labels. */
export function labelsOf(registry: Registry, name: string): readonly string[] {
  return (registry.getSingleMetric(name) as unknown as { labelNames: readonly string[] }).labelNames;
}

import { useMemo } from "react";
import { FigureTable } from "../shared-analytics/figure-table.tsx";
import { count, duration } from "../shared-analytics/figures.tsx";
import { quantileOf, type Sample } from "./parse-metrics.ts";

type Route = { route: string; requests: number; errors: number; p95_ms: number | null };

/** Routes by number of requests. */
export function Routes({ samples }: { samples: Sample[] | undefined }) {
  const rows = useMemo(() => {
    if (!samples) return undefined;
    const of = samples.filter(({ name }) => name === "millrace_http_requests_total");
    const routes = [...new Set(of.map(({ labels }) => labels.route ?? ""))];
    return routes
      .map((route): Route => {
        const mine = of.filter(({ labels }) => labels.route === route);
        const errors = total(mine.filter(({ labels }) => labels.status?.startsWith("5")));
        return {
          route,
          requests: total(mine),
          errors,
          p95_ms: quantileOf(
            samples,
            "millrace_http_request_duration_seconds",
            0.95,
            (labels) => labels.route === route,
          ),
        };
      })
      .sort((a, b) => b.requests - a.requests)
      .slice(0, 30);
  }, [samples]);
  return (
    <FigureTable
      title="Busiest routes"
      rows={rows}
      rowKey={({ route }) => route}
      none="No requests yet"
      figures={[
        {
          header: "Route",
          isText: true,
          value: ({ route }: Route) => route,
          show: ({ route }) => (
            <code className="font-mono text-xs" title={route}>
              {route}
            </code>
          ),
        },
        count<Route>("Requests", ({ requests }) => requests),
        count<Route>("5xx", ({ errors }) => errors),
        duration<Route>("p95", ({ p95_ms }) => p95_ms),
      ]}
    />
  );
}

function total(samples: Sample[]): number {
  return samples.reduce((sum, { value }) => sum + value, 0);
}

import { useQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useState } from "react";
import { readProblem } from "../../api/problem.ts";
import { ErrorState } from "../../parts/error-state.tsx";
import { formatDuration, formatPercent, formatShort } from "../../parts/format.ts";
import { Sparkline } from "../../parts/sparkline.tsx";
import { Stat } from "../../parts/stat.tsx";
import { FigureTable } from "../of-analytics/figure-table.tsx";
import { count, duration } from "../of-analytics/figures.tsx";
import { parseMetrics, quantileOf, type Sample, sumOf } from "./parse-metrics.ts";

const EVERY_MS = 15_000;
const KEPT = 40;
type Duty = { name: string; turns: number; failed: number };
type Route = { route: string; requests: number; errors: number; p95_ms: number | null };

/** What the instance that answers tells of itself, read four times a minute while this is open; the lines are what was seen since. */
export function Metrics() {
  const { data, error, refetch } = useQuery({
    queryKey: ["metrics"],
    queryFn: read,
    refetchInterval: EVERY_MS,
    retry: false,
  });
  const seen = useSeen(data);
  const shown = useMemo(() => (data ? figuresOf(data) : undefined), [data]);
  const spark = (name: keyof Figures, label: string) =>
    seen.length > 1 ? <Sparkline width={72} label={label} values={seen.map((each) => each[name])} /> : undefined;
  return (
    <>
      {error && <ErrorState as="banner" error={error} onRetry={() => void refetch()} />}
      <div className="grid grid-cols-2 gap-3 sm:gap-4 xl:grid-cols-4">
        <Stat
          label="Dispatches under way"
          value={shown && formatShort(shown.active)}
          hint={shown && `${formatShort(shown.queued)} wait in the pool`}
          chart={spark("active", "Dispatches under way")}
        />
        <Stat
          label="Look into the queue, p95"
          value={shown && formatDuration(shown.dequeue_ms)}
          chart={spark("dequeue_ms", "Time of looks")}
        />
        <Stat
          label="Requests answered"
          value={shown && formatShort(shown.requests)}
          hint={shown && `${formatPercent(shown.requests === 0 ? 0 : shown.faults / shown.requests)} failed with 5xx`}
        />
        <Stat
          label="Put right"
          value={shown && formatShort(shown.repairs)}
          hint={shown && (shown.repairs === 0 ? "Reconciliation found nothing" : "by reconciliation: look at the log")}
        />
      </div>
      <div className="grid items-start gap-4 lg:grid-cols-2">
        <Duties samples={data} />
        <Routes samples={data} />
      </div>
    </>
  );
}

type Figures = {
  active: number;
  queued: number;
  dequeue_ms: number;
  requests: number;
  faults: number;
  repairs: number;
};

function figuresOf(samples: Sample[]): Figures {
  return {
    active: sumOf(samples, "svc_worker_pool_active"),
    queued: sumOf(samples, "svc_worker_pool_queued"),
    dequeue_ms: quantileOf(samples, "svc_dequeue_duration_seconds", 0.95) ?? 0,
    requests: sumOf(samples, "millrace_http_requests_total"),
    faults: sumOf(samples, "millrace_http_requests_total", ({ status }) => status?.startsWith("5") ?? false),
    repairs: sumOf(samples, "millrace_repairs_total"),
  };
}

function useSeen(samples: Sample[] | undefined): Figures[] {
  const [seen, setSeen] = useState<Figures[]>([]);
  useEffect(() => {
    if (samples) setSeen((before) => [...before, figuresOf(samples)].slice(-KEPT));
  }, [samples]);
  return seen;
}

function Duties({ samples }: { samples: Sample[] | undefined }) {
  const rows = useMemo(() => {
    if (!samples) return undefined;
    const of = samples.filter(({ name }) => name === "millrace_duty_runs_total");
    const names = [...new Set(of.map(({ labels }) => labels.duty ?? ""))].sort();
    return names.map((name) => {
      const turns = of.filter(({ labels }) => labels.duty === name);
      const bad = turns.filter(({ labels }) => labels.outcome === "failed" || labels.outcome === "error");
      return { name, turns: total(turns), failed: total(bad) };
    });
  }, [samples]);
  return (
    <FigureTable
      title="Duties"
      rows={rows}
      rowKey={({ name }) => name}
      none="No duty has had a turn here yet"
      figures={[
        { header: "Duty", isText: true, value: ({ name }: Duty) => name },
        count<Duty>("Turns", ({ turns }) => turns),
        count<Duty>("Failed", ({ failed }) => failed),
      ]}
    />
  );
}

function Routes({ samples }: { samples: Sample[] | undefined }) {
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
      none="No request was answered yet"
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

async function read({ signal }: { signal: AbortSignal }): Promise<Sample[]> {
  const response = await fetch("/metrics", { signal });
  if (!response.ok) throw await readProblem(response);
  return parseMetrics(await response.text());
}

import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { readProblem } from "../../api/problem.ts";
import { parseMetrics, quantileOf, type Sample, sumOf } from "./parse-metrics.ts";

const EVERY_MS = 20_000;
const MAX_SAMPLES = 40;

export type Figures = {
  active: number;
  queued: number;
  dequeue_ms: number;
  requests: number;
  serverErrors: number;
  repairs: number;
  transitions: number;
  dispatch_ms: number;
};

/** Metrics of the responding instance, polled three times a minute while open; `seen` is the history since then. */
export function useMetrics(isOn: boolean) {
  const read = useQuery({
    queryKey: ["metrics"],
    queryFn: ({ signal }) => readMetrics(signal),
    enabled: isOn,
    refetchInterval: EVERY_MS,
    retry: false,
  });
  const { data } = read;
  const [seen, setSeen] = useState<Figures[]>([]);
  useEffect(() => {
    if (data) setSeen((before) => [...before, figuresOf(data.samples)].slice(-MAX_SAMPLES));
  }, [data]);
  return { ...read, samples: data?.samples, text: data?.text, seen };
}

async function readMetrics(signal: AbortSignal): Promise<{ text: string; samples: Sample[] }> {
  const response = await fetch("/metrics", { signal });
  if (!response.ok) throw await readProblem(response);
  const text = await response.text();
  return { text, samples: parseMetrics(text).filter(isOfService) };
}

/** The demo's endpoints fail on purpose: their responses say nothing about the service. */
function isOfService({ labels }: Sample): boolean {
  return !labels.route?.startsWith("/demo");
}

function figuresOf(samples: Sample[]): Figures {
  return {
    active: sumOf(samples, "svc_worker_pool_active"),
    queued: sumOf(samples, "svc_worker_pool_queued"),
    dequeue_ms: quantileOf(samples, "svc_dequeue_duration_seconds", 0.95) ?? 0,
    dispatch_ms: quantileOf(samples, "svc_dispatch_duration_seconds", 0.95) ?? 0,
    requests: sumOf(samples, "millrace_http_requests_total"),
    serverErrors: sumOf(samples, "millrace_http_requests_total", ({ status }) => status?.startsWith("5") ?? false),
    repairs: sumOf(samples, "millrace_repairs_total"),
    transitions: sumOf(samples, "svc_run_transitions_total"),
  };
}

/** Growth of a counter between samples. */
export function growthOf(seen: Figures[], name: keyof Figures): number[] {
  return seen.slice(1).map((each, nth) => Math.max(0, each[name] - (seen[nth]?.[name] ?? 0)));
}

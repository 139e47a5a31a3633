const DAY_MS = 86_400_000;

/** The last `days` days with a different end each time, so that no response can be cached. */
const last = (days) => {
  const to = Date.now() - Math.floor(Math.random() * 3_600_000);
  return { from: new Date(to - days * DAY_MS).toISOString(), to: new Date(to).toISOString() };
};
const ofJob = () => ({ job_id: `seeded-${Math.floor(Math.random() * 20)}` });
const TARGET = "p95 ≤ 200";

const PATHS = [
  "runs/by-trigger",
  "runs/duration-distribution",
  "workflows/completion-rates",
  "workflows/summary",
  "jobs/by-version",
  "events/volume",
  "performance",
  "webhooks/endpoint-health",
  "timeseries",
  "errors",
  "costs",
  "compute",
  "cost-insights",
];

/** The measured requests. `query()` returns a different query each time. */
export const REQUESTS = [
  ...PATHS.map((path) => ({ name: `${path}, 30 days`, path, query: () => last(30), target: TARGET })),
  ...["timeseries", "runs/by-trigger", "performance", "webhooks/endpoint-health"].map((path) => ({
    ...{ name: `${path}, 30 days in hours`, path, query: () => ({ ...last(30), bucket: "1h" }), target: TARGET },
  })),
  {
    name: "timeseries, 24 hours in minutes",
    path: "timeseries",
    query: () => ({ ...last(1), bucket: "1m" }),
    target: TARGET,
  },
  {
    name: "timeseries, 5 days in 5 minutes",
    path: "timeseries",
    query: () => ({ ...last(5), bucket: "5m" }),
    target: TARGET,
  },
  {
    ...{ name: "timeseries of one job, 30 days in hours", path: "timeseries", target: TARGET },
    query: () => ({ ...last(30), ...ofJob(), bucket: "1h" }),
  },
  { name: "errors of one job, 30 days", path: "errors", query: () => ({ ...last(30), ...ofJob() }), target: TARGET },
];

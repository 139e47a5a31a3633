const DAY_MS = 86_400_000;

/** The last so many days, another end each time, so that no answer is one that was given before. */
const last = (days) => {
  const to = Date.now() - Math.floor(Math.random() * 3_600_000);
  return { from: new Date(to - days * DAY_MS).toISOString(), to: new Date(to).toISOString() };
};
const ofJob = () => ({ job_id: `seeded-${Math.floor(Math.random() * 20)}` });
const LEAST = "p95 ≤ 200";

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

/** What is asked for; `query()` gives another each time. */
export const ASKED = [
  ...PATHS.map((path) => ({ name: `${path}, 30 days`, path, query: () => last(30), least: LEAST })),
  ...["timeseries", "runs/by-trigger", "performance", "webhooks/endpoint-health"].map((path) => ({
    ...{ name: `${path}, 30 days in hours`, path, query: () => ({ ...last(30), bucket: "1h" }), least: LEAST },
  })),
  {
    name: "timeseries, 24 hours in minutes",
    path: "timeseries",
    query: () => ({ ...last(1), bucket: "1m" }),
    least: LEAST,
  },
  {
    name: "timeseries, 5 days in 5 minutes",
    path: "timeseries",
    query: () => ({ ...last(5), bucket: "5m" }),
    least: LEAST,
  },
  {
    ...{ name: "timeseries of one job, 30 days in hours", path: "timeseries", least: LEAST },
    query: () => ({ ...last(30), ...ofJob(), bucket: "1h" }),
  },
  { name: "errors of one job, 30 days", path: "errors", query: () => ({ ...last(30), ...ofJob() }), least: LEAST },
];

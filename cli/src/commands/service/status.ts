import type { Me } from "@millrace/contract/access/me";
import type { Alert } from "@millrace/contract/alerts/alerts";
import type { PerformanceReport } from "@millrace/contract/analytics/job-analytics";
import { printableText } from "@millrace/contract/schema/printable-text";
import type { Readiness } from "@millrace/contract/service/health";
import { ApiError, type Page } from "@millrace/sdk";
import { slugsOf } from "../../api/names.ts";
import type { Cli } from "../../cli.ts";
import { command } from "../../command.ts";
import { plural } from "../../output/plural.ts";
import { printObject } from "../../output/print-object.ts";

const HOUR_MS = 3_600_000;
const MAX_ALERTS = 100;

export const status = command({
  name: "status",
  summary: "show whether the service is ready, and how the project is doing",
  about:
    "Show whether the service is ready, and how the runs of the project did in the last hour, with its firing alerts. What the key may not read is left out. Exits with 1 if the service is not ready.",
  examples: ["millrace status"],
  run: async (cli) => {
    const readiness = await readReadiness(cli);
    const from = new Date(Date.now() - HOUR_MS).toISOString();
    const me = await ifAllowed(cli.client().request<Me>("GET", "/v1/me"));
    const runs = await ifAllowed(
      cli.client().request<PerformanceReport>("GET", "/v1/analytics/performance", { query: { from } }),
    );
    const query = { status: "firing", limit: MAX_ALERTS };
    const alerts = await ifAllowed(cli.client().request<Page<Alert>>("GET", "/v1/alerts", { query }));
    const project = me?.project_id ? await projectOf(cli, me.project_id) : null;
    const found = { ...readiness, project, runs: runs ?? null, firing_alerts: alerts?.data ?? null };
    printObject(cli, found, () => [
      ["service", `${cli.settings.baseUrl.value} ${readiness.ready ? "is ready" : "is not ready"}`],
      ["problems", problemsOf(readiness).join("\n")],
      ["project", project],
      ["last hour", runs && hourOf(runs)],
      ["failing jobs", runs && failingOf(runs).join("\n")],
      ["alerts", alerts && alertsOf(alerts)],
    ]);
    return readiness.ready ? "ok" : "failure";
  },
});

/** A service that is not ready says why in an error response. */
async function readReadiness(cli: Cli): Promise<Readiness> {
  const response = await fetch(`${cli.client().baseUrl}/health/ready`, { signal: cli.signal }).catch(() => undefined);
  // Again with the client, whose errors say what is wrong and what to do.
  if (!response || ![200, 503].includes(response.status)) return cli.client().request("GET", "/health/ready");
  const { ready = false, checks = {} } = (await response.json()) as Partial<Readiness>;
  return { ready, checks };
}

async function ifAllowed<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof ApiError && (error.status === 403 || error.status >= 500)) return undefined;
    throw error;
  }
}

function problemsOf({ checks }: Readiness): string[] {
  return Object.entries(checks).flatMap(([name, outcome]) => (outcome === "ok" ? [] : [`${name}: ${outcome}`]));
}

function projectOf(cli: Cli, id: string): Promise<string> {
  return slugsOf(cli, "projects")(id);
}

function hourOf({ health, throughput }: PerformanceReport): string {
  const rate = health.success_rate === null ? "" : `, ${(health.success_rate * 100).toFixed(1)} % succeeded`;
  return `${health.status}, ${plural(health.open_runs, "open run")}, ${throughput.ended_per_minute} ended a minute${rate}`;
}

function failingOf({ health }: PerformanceReport): string[] {
  return health.worst_jobs
    .slice(0, 5)
    .map(
      ({ job_slug, failed, timed_out }) => `${printableText(job_slug ?? "(deleted)")}: ${failed + timed_out} failed`,
    );
}

function alertsOf({ data, has_more }: Page<Alert>): string {
  if (data.length === 0) return "none firing";
  const lines = data.map(({ rule_name, summary }) => `${printableText(rule_name)}: ${printableText(summary)}`);
  return [...lines, ...(has_more ? ["… and more"] : [])].join("\n");
}

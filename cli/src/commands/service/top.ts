import { setTimeout as pause } from "node:timers/promises";
import type { PerformanceReport } from "@millrace/contract/analytics/job-analytics";
import { printableText } from "@millrace/contract/schema/printable-text";
import type { QueueLoad } from "@millrace/contract/workers/queues";
import { takeRows } from "../../api/take-rows.ts";
import type { Cli } from "../../cli.ts";
import { command } from "../../command.ts";
import { drawLive } from "../../output/draw-live.ts";
import { printJson } from "../../output/print-object.ts";

const EVERY_MS = 2_000;
const HOUR_MS = 3_600_000;
const MAX_QUEUES = 100;

type Figures = { at: string; performance: PerformanceReport; queues: QueueLoad[] };

export const top = command({
  name: "top",
  summary: "watch queues, rates and failures",
  about:
    "Watch queues, rates and failures of the last hour until Ctrl-C. In a pipe and with --json, print them once. Needs a key with `analytics:read` and `jobs:read`.",
  examples: ["millrace top"],
  run: async (cli) => {
    let figures = await readFigures(cli);
    if (cli.format !== "human") return printJson(cli, figures);
    if (!cli.terminal.out) return cli.write(`${linesOf(cli, figures).join("\n")}\n`);
    let trouble: string[] = [];
    const live = drawLive(cli);
    live.show(() => [...linesOf(cli, figures), ...trouble]);
    try {
      for (;;) {
        await pause(EVERY_MS, undefined, { signal: cli.signal });
        // It is watched during restarts and outages too.
        trouble = await readFigures(cli).then(
          (read) => {
            figures = read;
            return [];
          },
          (error: Error) => ["", cli.colors.red(`not updated: ${printableText(error.message)}`)],
        );
      }
    } finally {
      live.end();
    }
  },
});

async function readFigures(cli: Cli): Promise<Figures> {
  const at = new Date();
  const query = { from: new Date(at.getTime() - HOUR_MS).toISOString() };
  const [performance, { rows }] = await Promise.all([
    cli.client().request<PerformanceReport>("GET", "/v1/analytics/performance", { query }),
    takeRows<QueueLoad>(cli, "/v1/queues", {}, MAX_QUEUES),
  ]);
  return { at: at.toISOString(), performance, queues: rows };
}

function linesOf({ colors }: Cli, { at, performance, queues }: Figures): string[] {
  const { health, throughput, duration, start_delay } = performance;
  const rate = health.success_rate === null ? "–" : `${(health.success_rate * 100).toFixed(1)} %`;
  const failing = health.worst_jobs.slice(0, 5).map(({ job_slug, failed, timed_out }) => {
    return `  ${printableText(job_slug ?? "(deleted)").padEnd(30)} ${failed + timed_out} failed`;
  });
  return [
    `${colors.bold(health.status)}  ${colors.dim(at)}`,
    `open ${health.open_runs}   succeeded ${rate}   per minute: ${throughput.created_per_minute} created, ${throughput.ended_per_minute} ended`,
    `duration p50 ${msOf(duration.p50_ms)}, p95 ${msOf(duration.p95_ms)}   start delay p95 ${msOf(start_delay.p95_ms)}`,
    "",
    colors.dim("QUEUE                           DEPTH   OLDEST   IN FLIGHT  WORKERS"),
    ...[...queues].sort((a, b) => b.depth - a.depth).map(queueLine),
    ...(failing.length > 0 ? ["", colors.dim("FAILING"), ...failing] : []),
  ];
}

function queueLine({ name, depth, oldest_age_secs, in_flight, workers, paused }: QueueLoad): string {
  const oldest = oldest_age_secs === null ? "–" : `${Math.round(oldest_age_secs)} s`;
  const cells = [name.padEnd(30), String(depth).padStart(6), oldest.padStart(8), String(in_flight).padStart(11)];
  return `${cells.join(" ")} ${String(workers).padStart(8)}${paused ? "  paused" : ""}`;
}

function msOf(ms: number | null): string {
  return ms === null ? "–" : ms < 1_000 ? `${ms} ms` : `${(ms / 1_000).toFixed(1)} s`;
}

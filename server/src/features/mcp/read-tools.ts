import { drawMermaid } from "@millrace/contract/workflows/draw-graph";
import type { Workflow } from "@millrace/contract/workflows/workflows";
import { z } from "zod";
import { searchDocs } from "./search-docs.ts";
import type { Page, ServiceClient } from "./service-client.ts";

type Input = Record<string, string | number | undefined>;

export type ReadTool = {
  name: string;
  description: string;
  input: Record<string, z.ZodType>;
  run: (client: ServiceClient, input: Input) => Promise<unknown>;
};

/** Ids and slugs: what becomes part of a path has no other characters. */
export const Ref = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/, "an id or a slug");
const days = z.number().int().min(1).max(90).optional().describe("days back from now; default 1");

export const READ_TOOLS: readonly ReadTool[] = [
  {
    name: "search_runs",
    description:
      "Search runs of jobs, newest first. The query language has terms such as status:failed, job:send-mail, tag:team:billing, and free text.",
    input: {
      q: z.string().max(500).optional().describe("query, such as status:failed job:send-mail"),
      limit: z.number().int().min(1).max(25).optional(),
    },
    run: async (client, { q, limit = 10 }) => {
      const { data, has_more } = await client.request<Page<Record<string, unknown>>>("GET", "/v1/runs", {
        query: { q, limit },
      });
      return { runs: data.map(briefRun), has_more };
    },
  },
  {
    name: "get_run",
    description: "One run with its payload, output and error, its newest log lines and its attempts.",
    input: { run_id: Ref },
    run: async (client, { run_id }) => {
      const path = `/v1/runs/${run_id}`;
      const [run, logs, attempts] = await Promise.all([
        client.request("GET", path),
        client.request<Page<unknown>>("GET", `${path}/logs`, { query: { limit: 20, order: "desc" } }),
        client.request<Page<unknown>>("GET", `${path}/attempts`, { query: { limit: 5, order: "desc" } }),
      ]);
      return { run, newest_logs: logs.data, newest_attempts: attempts.data };
    },
  },
  {
    name: "explain_run",
    description: "Why a run is in its state: what it waits for, why it failed or why it has not started.",
    input: { run_id: Ref },
    run: (client, { run_id }) => client.request("GET", `/v1/runs/${run_id}/explain`),
  },
  {
    name: "explain_workflow_run",
    description: "Why a workflow run is in its state, step by step.",
    input: { workflow_run_id: Ref },
    run: (client, { workflow_run_id }) => client.request("GET", `/v1/workflow-runs/${workflow_run_id}/explain`),
  },
  {
    name: "workflow_graph",
    description: "The steps of a workflow, as a Mermaid flowchart and as a list.",
    input: { workflow: Ref },
    run: async (client, { workflow }) => {
      const { slug, version, steps } = await client.request<Workflow>("GET", `/v1/workflows/${workflow}`);
      return { slug, version, mermaid: drawMermaid(steps), steps };
    },
  },
  {
    name: "stats",
    description: "Counts, success rates and durations of runs by job.",
    input: { days, job: Ref.optional() },
    run: (client, input) => client.request("GET", "/v1/analytics/performance", { query: periodOf(input) }),
  },
  {
    name: "errors",
    description: "The most frequent errors, grouped, with an example run of each.",
    input: { days, job: Ref.optional() },
    run: (client, input) => client.request("GET", "/v1/analytics/errors", { query: periodOf(input) }),
  },
  {
    name: "search_docs",
    description: "Search the documentation of this version of Millrace.",
    input: { words: z.string().min(2).max(200) },
    run: (client, { words }) => searchDocs(client, String(words)),
  },
];

const BRIEF = [
  "id",
  "status",
  "job_id",
  "job_slug",
  "attempt",
  "error",
  "trigger_type",
  "created_at",
  "ended_at",
  "tags",
];

function briefRun(run: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(BRIEF.filter((name) => name in run).map((name) => [name, run[name]]));
}

function periodOf({ days = 1, job }: Input): Record<string, string | number | undefined> {
  const from = new Date(Date.now() - Number(days) * 86_400_000).toISOString();
  return { from, job_id: job, limit: 20 };
}

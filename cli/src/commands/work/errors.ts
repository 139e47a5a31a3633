import type { ErrorIssue, ErrorIssueDetail, ErrorIssueRunList } from "@millrace/contract/alerts/error-issues";
import type { BulkReplayRunsResult } from "@millrace/contract/runs/bulk-runs";
import { listing, send } from "../../api/requests.ts";
import { type Command, command, required, text } from "../../command.ts";
import { plural } from "../../output/plural.ts";
import { printJson, printObject } from "../../output/print-object.ts";
import { progressBar } from "../../output/progress-bar.ts";
import { agoOf } from "../../output/times.ts";

const PATH = "/v1/error-issues";
const issue = required("issue", "id of the error issue");

function changing(verb: "resolve" | "ignore" | "reopen", summary: string): Command {
  return command({
    name: `errors ${verb}`,
    summary,
    args: [issue],
    examples: [`millrace errors ${verb} 84a6c18b-1b7a-81f1-b5e9-8eece58f8a80`],
    run: async (cli, { args: [id = ""] }) => {
      const said = ({ message, status }: ErrorIssue) => `${message} is ${status}`;
      await send(cli, { path: `${PATH}/${encodeURIComponent(id)}/${verb}`, said });
    },
  });
}

export const errorsCommands: readonly Command[] = [
  listing({
    name: "errors list",
    summary: "list error issues, the last seen first",
    options: {
      status: text("--status <status>", "open, resolved or ignored"),
      job: text("--job <job>", "only this job (slug or id)"),
      assignedTo: text("--assigned-to <name>", "only those assigned to this name"),
    },
    examples: ["millrace errors list --status open"],
    path: PATH,
    filters: ({ status, job, assignedTo }) => ({ status, job_id: job, assigned_to: assignedTo }),
    nothing: "No error issues.",
    columns: [
      { title: "id", value: ({ id }: ErrorIssue) => id },
      { title: "status", value: ({ status }) => status },
      { title: "job", value: ({ job_slug, job_id }) => job_slug ?? job_id },
      { title: "message", value: ({ message }) => message },
      { title: "assigned", value: ({ assigned_to }) => assigned_to ?? "", isMinor: true },
      {
        title: "last seen",
        isMinor: true,
        value: ({ last_seen_at }) => last_seen_at,
        show: ({ last_seen_at }) => agoOf(last_seen_at),
      },
    ],
  }),
  command({
    name: "errors get",
    summary: "show an error issue with its counts, versions and newest runs",
    args: [issue],
    examples: ["millrace errors get 84a6c18b-1b7a-81f1-b5e9-8eece58f8a80"],
    run: async (cli, { args: [id = ""] }) => {
      const found = await cli.client().request<ErrorIssueDetail>("GET", `${PATH}/${encodeURIComponent(id)}`);
      printObject(cli, found, () => [
        ["message", found.message],
        ["status", found.status],
        ["assigned to", found.assigned_to],
        ["job", found.job_slug ?? found.job_id],
        ["step", found.step_ref],
        ["code", found.code ?? (found.http_status === null ? null : `HTTP ${found.http_status}`)],
        ["first seen", found.first_seen_at],
        ["last seen", found.last_seen_at],
        ["reopened", found.reopened_count === 0 ? null : plural(found.reopened_count, "time")],
        ["failed", `${plural(found.runs, "run")}, ${plural(found.attempts, "attempt")}`],
        ["versions", found.versions.map(({ version, job_version_id }) => version ?? job_version_id).join(", ")],
        ["trend", found.trend.map((day) => `${day.starts_at.slice(0, 10)} ${day.attempts}`).join("\n")],
        ["newest runs", found.sample_run_ids.join("\n")],
      ]);
    },
  }),
  changing("resolve", "resolve an error issue; the next failure reopens it"),
  changing("ignore", "ignore an error issue"),
  changing("reopen", "reopen an error issue"),
  command({
    name: "errors assign",
    summary: "assign an error issue to someone; without a name, to nobody",
    args: [issue, { name: "name", about: "person or team", kind: "optional" }],
    examples: ["millrace errors assign 84a6c18b-1b7a-81f1-b5e9-8eece58f8a80 Ada"],
    run: async (cli, { args: [id = "", name] }) => {
      const said = ({ message, assigned_to }: ErrorIssue) => `${message} is assigned to ${assigned_to ?? "nobody"}`;
      await send(cli, { path: `${PATH}/${encodeURIComponent(id)}/assign`, body: { assigned_to: name ?? null }, said });
    },
  }),
  command({
    name: "errors replay",
    summary: "replay the runs of an error issue that are in the dead-letter queue",
    args: [issue],
    examples: ["millrace errors replay 84a6c18b-1b7a-81f1-b5e9-8eece58f8a80"],
    run: async (cli, { args: [id = ""] }) => {
      const client = cli.client();
      const bar = progressBar(cli, "replaying");
      let [created, failed] = [0, 0];
      // Each run once: one that cannot be replayed stays in the dead-letter queue.
      for (let cursor: string | null | undefined; cursor !== null; ) {
        const runs = await client.request<ErrorIssueRunList>("GET", `${PATH}/${encodeURIComponent(id)}/runs`, {
          query: { limit: 100, cursor },
        });
        cursor = runs.next_cursor;
        if (runs.data.length === 0) continue;
        const { results } = await client.request<BulkReplayRunsResult>("POST", "/v1/runs/bulk-replay", {
          body: { run_ids: runs.data.map((run) => run.id) },
        });
        const replayed = results.filter(({ status }) => status === "created").length;
        created += replayed;
        failed += results.length - replayed;
        bar.at(created, 0);
      }
      bar.end();
      if (cli.format === "human") cli.say(`Replayed ${plural(created, "run")}; ${failed} could not be replayed.`);
      else printJson(cli, { created, failed });
    },
  }),
];

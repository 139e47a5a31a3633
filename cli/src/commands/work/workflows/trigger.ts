import type { WorkflowRun } from "@millrace/contract/workflows/workflow-runs";
import { saveLast } from "../../../api/last-object.ts";
import { withSlug } from "../../../api/names.ts";
import { command, flag, integer, list, required, text } from "../../../command.ts";
import { readJson } from "../../../input/read-json.ts";
import { readTags } from "../../../input/read-tags.ts";
import { printJson } from "../../../output/print-object.ts";
import { workflowRunsWatch } from "../workflow-runs/watch.ts";

export const workflowsTrigger = command({
  name: "workflows trigger",
  summary: "start a run of a workflow",
  about:
    "Start a run of a workflow and print its id. With --watch, follow it until it ends; the exit code reflects its status.",
  args: [required("workflow", "slug or id of the workflow")],
  options: {
    data: text("-d, --data <json>", "payload: JSON, @file, or - for stdin"),
    watch: flag("--watch", "follow the run until it ends"),
    tag: list("--tag <key=value>", "tag; can be repeated"),
    idempotencyKey: text("--idempotency-key <key>", "repeating the key returns the same run"),
    versionNumber: integer("--version-number <n>", "version to run (default: the current one)"),
    delaySecs: integer("--delay-secs <n>", "start the run this many seconds later"),
    env: text("--env <environment>", "id or slug of the environment"),
  },
  examples: ['millrace workflows trigger order -d \'{"order": "A-17"}\' --watch'],
  run: async (cli, { args: [workflow = ""], options }) => {
    const body = {
      ...(options.data !== undefined && { payload: await readJson(cli, options.data) }),
      ...(options.tag.length > 0 && { tags: readTags(options.tag) }),
      ...(options.versionNumber !== undefined && { version: options.versionNumber }),
      ...(options.delaySecs !== undefined && { delay_secs: options.delaySecs }),
      ...(options.env !== undefined && { environment_id: options.env }),
    };
    const key = options.idempotencyKey === undefined ? {} : { idempotencyKey: options.idempotencyKey };
    const run = await withSlug(cli, "workflows", workflow, (path) =>
      cli.client().request<WorkflowRun>("POST", `${path}/trigger`, { body, ...key }),
    );
    saveLast(cli, "workflow-runs", run.id);
    if (options.watch) return workflowRunsWatch.run(cli, { args: [run.id], options: {} });
    if (cli.format !== "human") return void printJson(cli, run);
    cli.write(`${run.id}\n`);
    cli.say(`${run.status}; follow it with: millrace workflow-runs watch @last`);
    return undefined;
  },
});

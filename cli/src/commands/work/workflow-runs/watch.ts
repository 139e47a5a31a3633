import type { WorkflowGraph } from "@millrace/contract/workflows/workflow-graph";
import type { WorkflowRunState } from "@millrace/contract/workflows/workflow-runs";
import { resolveId } from "../../../api/resolve-id.ts";
import type { Cli } from "../../../cli.ts";
import { command, required } from "../../../command.ts";
import { exitOfStatus } from "../../../exit-codes.ts";
import { drawLive } from "../../../output/draw-live.ts";
import { printJson } from "../../../output/print-object.ts";
import { stepTree } from "../../../workflows/step-tree.ts";

export const workflowRunsWatch = command({
  name: "workflow-runs watch",
  summary: "follow a workflow run until it ends, as a tree of steps",
  about:
    "Follow a workflow run until it ends: on a terminal as a live tree of its steps, in a pipe as one line per status change. The exit code reflects its status.",
  args: [required("run", "workflow run id, prefix of an id, or @last")],
  examples: ["millrace workflow-runs watch @last"],
  run: async (cli, { args: [given = ""] }) => {
    const id = await resolveId(cli, "workflow-runs", given);
    const { edges } = await cli.client().request<WorkflowGraph>("GET", `/v1/workflow-runs/${id}/graph`);
    const view = viewOf(cli, edges);
    const stream = cli.client().stream<WorkflowRunState>(`/v1/workflow-runs/${id}/stream`, {
      signal: cli.signal,
      isLast: ({ data }) => isOver(data as Partial<WorkflowRunState>),
    });
    let last: WorkflowRunState | undefined;
    try {
      for await (const { event, data } of stream) {
        if (event !== "status") continue;
        last = data;
        view.show(data);
      }
    } finally {
      view.end();
    }
    if (cli.format === "json") printJson(cli, last);
    return exitOfStatus(last?.run.status ?? "failed");
  },
});

type View = { show: (state: WorkflowRunState) => void; end: () => void };

function viewOf(cli: Cli, edges: WorkflowGraph["edges"]): View {
  if (cli.format === "json") return { show: () => {}, end: () => {} };
  if (cli.format === "ndjson") return { show: (state) => printJson(cli, state), end: () => {} };
  if (!cli.terminal.out) return changeLines(cli);
  const live = drawLive(cli);
  return { show: (state) => live.show(() => stepTree(cli, state, edges)), end: live.end };
}

/** Prints a line whenever a step's status changes: `at  step  status`. */
function changeLines(cli: Cli): View {
  const known = new Map<string, string>();
  const printChange = (name: string, status: string, at: string) => {
    if (known.get(name) === status) return;
    known.set(name, status);
    cli.write(`${at}\t${name}\t${status}\n`);
  };
  return {
    show: ({ run, steps }) => {
      for (const step of steps) printChange(step.step_ref, step.status, step.updated_at);
      printChange("", run.status, run.updated_at);
    },
    end: () => {},
  };
}

function isOver({ run }: Partial<WorkflowRunState>): boolean {
  return run?.finished_at !== undefined && run.finished_at !== null;
}

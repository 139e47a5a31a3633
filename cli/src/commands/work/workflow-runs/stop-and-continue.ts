import type { WorkflowRun } from "@millrace/contract/workflows/workflow-runs";
import { send } from "../../../api/requests.ts";
import { resolveId } from "../../../api/resolve-id.ts";
import type { Cli } from "../../../cli.ts";
import { type Command, command, required, text } from "../../../command.ts";

const run = required("run", "workflow run id, prefix of an id, or @last");
const step = required("step", "ref of the step");

async function pathOf(cli: Cli, given: string, stepRef?: string): Promise<string> {
  const path = `/v1/workflow-runs/${await resolveId(cli, "workflow-runs", given)}`;
  return stepRef === undefined ? path : `${path}/steps/${encodeURIComponent(stepRef)}`;
}

/** A verb of the whole run that takes nothing but the run. */
function verb(word: string, summary: string, done: string): Command {
  return command({
    name: `workflow-runs ${word}`,
    summary,
    args: [run],
    examples: [`millrace workflow-runs ${word} @last`],
    run: async (cli, { args: [given = ""] }) => {
      const said = ({ id, status }: WorkflowRun) => `${id} ${done} (${status})`;
      await send(cli, { path: `${await pathOf(cli, given)}/${word}`, said });
    },
  });
}

type StepVerb = { word: string; verb: string; summary: string; comment?: string; done: string };

/** A verb of one step. `comment` names the field of the body that takes the caller's words. */
function stepVerb({ word, verb, summary, comment, done }: StepVerb): Command {
  return command({
    name: `workflow-runs ${word}`,
    summary,
    args: [run, step],
    options: comment === undefined ? {} : { [comment]: text(`--${comment} <text>`, `${comment}, kept with the step`) },
    examples: [`millrace workflow-runs ${word} @last charge`],
    run: async (cli, { args: [given = "", stepRef = ""], options }) => {
      const words = (options as Record<string, string | undefined>)[comment ?? ""];
      const body = words === undefined ? {} : { [comment ?? ""]: words };
      await send(cli, { path: `${await pathOf(cli, given, stepRef)}/${verb}`, body, said: () => `${stepRef} ${done}` });
    },
  });
}

export const stopAndContinue: readonly Command[] = [
  command({
    name: "workflow-runs cancel",
    summary: "cancel a workflow run with its steps, waits and sub-workflows",
    args: [run],
    options: { reason: text("--reason <text>", "reason, stored in the error of the run") },
    examples: ["millrace workflow-runs cancel @last --reason 'order was withdrawn'"],
    run: async (cli, { args: [given = ""], options }) => {
      const body = options.reason === undefined ? {} : { reason: options.reason };
      const said = ({ id, status }: WorkflowRun) => `${id} is ${status}`;
      await send(cli, { path: `${await pathOf(cli, given)}/cancel`, body, said });
    },
  }),
  verb("pause", "pause a workflow run: no further step starts", "is paused"),
  verb("resume", "resume a paused workflow run", "was resumed"),
  verb("retry", "retry the failed steps of a workflow run", "is being retried"),
  stepVerb({ word: "retry-step", verb: "retry", summary: "retry a failed step", done: "is retried" }),
  stepVerb({
    word: "replay-subtree",
    verb: "replay-subtree",
    summary: "repeat a step and all steps after it",
    done: "and the steps after it are repeated",
  }),
  stepVerb({
    word: "skip-step",
    verb: "skip",
    summary: "skip a step that waits or has failed",
    comment: "reason",
    done: "is skipped",
  }),
  stepVerb({
    word: "approve",
    verb: "approve",
    summary: "approve a step that waits for approval",
    comment: "comment",
    done: "is approved",
  }),
  stepVerb({
    word: "reject",
    verb: "reject",
    summary: "reject a step that waits for approval",
    comment: "comment",
    done: "is rejected",
  }),
];

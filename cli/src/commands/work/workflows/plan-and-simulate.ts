import type { WorkflowPlan, WorkflowSimulation } from "@millrace/contract/workflows/workflow-versions";
import { withSlug } from "../../../api/names.ts";
import { type Command, command, required, text } from "../../../command.ts";
import { readJson } from "../../../input/read-json.ts";
import { plural } from "../../../output/plural.ts";
import { printJson } from "../../../output/print-object.ts";
import { printRows } from "../../../output/print-rows.ts";
import { paintStatus } from "../../../output/status.ts";
import { printPlan } from "../../../workflows/print-workflow-plan.ts";
import { readDefinition } from "../../../workflows/read-definitions.ts";

const workflow = required("workflow", "slug or id of the workflow");
const file = text("-f, --file <file>", "definition as JSON or YAML: a file, or - for stdin");

export const planAndSimulate: readonly Command[] = [
  command({
    name: "workflows plan",
    summary: "check the current or a changed definition, and change nothing",
    about:
      "Check a workflow: whether its steps are valid and follow the project's policies, and its longest path by past durations. With --file, check the steps of a definition in a file. Exits with 5 if it is not valid.",
    args: [workflow],
    options: { file },
    examples: ["millrace workflows plan order -f order.json"],
    run: async (cli, { args: [given = ""], options }) => {
      const body = options.file === undefined ? {} : { steps: (await readDefinition(cli, options.file)).steps };
      const plan = await withSlug(cli, "workflows", given, (path) =>
        cli.client().request<WorkflowPlan>("POST", `${path}/plan`, { body }),
      );
      return printPlan(cli, plan);
    },
  }),
  command({
    name: "workflows simulate",
    summary: "show which steps would run for a payload, and run nothing",
    args: [workflow],
    options: {
      data: text("-d, --data <json>", "payload: JSON, @file, or - for stdin"),
      outcomes: text("--outcomes <json>", 'outcomes of steps, such as {"charge": {"status": "failed"}}; JSON or @file'),
    },
    examples: ["millrace workflows simulate order -d '{\"total\": 12}'"],
    run: async (cli, { args: [given = ""], options }) => {
      const body = {
        ...(options.data !== undefined && { payload: await readJson(cli, options.data) }),
        ...(options.outcomes !== undefined && { outcomes: await readJson(cli, options.outcomes) }),
      };
      const simulated = await withSlug(cli, "workflows", given, (path) =>
        cli.client().request<WorkflowSimulation>("POST", `${path}/simulate`, { body }),
      );
      if (cli.format !== "human") return printJson(cli, simulated);
      const { branches } = simulated;
      if (branches === null)
        return void cli.say(`${plural(simulated.step_count, "step")}; pass -d to see which of them run.`);
      await printRows(cli, {
        rows: branches.steps,
        nothing: "No steps.",
        wraps: true,
        columns: [
          { title: "step", value: ({ step_ref }) => step_ref },
          {
            title: "status",
            value: ({ status }) => status,
            show: ({ status }, { colors }) => paintStatus(colors, status),
          },
          { title: "round", value: ({ round }) => (round === null ? "" : String(round)) },
          { title: "reason", value: ({ reason }) => reason ?? "" },
        ],
      });
      cli.say(`The run would end as ${branches.status}.`);
    },
  }),
];

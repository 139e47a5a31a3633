import { printableText } from "@millrace/contract/schema/printable-text";
import type { WorkflowPlan, WorkflowSimulation } from "@millrace/contract/workflows/workflow-versions";
import type { CreateWorkflow, Workflow } from "@millrace/contract/workflows/workflows";
import { NotFoundError } from "@millrace/sdk";
import type { Cli } from "../../cli.ts";
import { type Command, command, flag, required, text } from "../../command.ts";
import { CommandError } from "../../command-error.ts";
import type { ExitName } from "../../exit-codes.ts";
import { withSlug } from "../../names.ts";
import { plural } from "../../output/plural.ts";
import { printJson } from "../../output/print-object.ts";
import { printRows } from "../../output/print-rows.ts";
import { paintStatus } from "../../output/status.ts";
import { readJson } from "../../read-json.ts";
import { send } from "../../requests.ts";

const workflow = required("workflow", "slug or id of the workflow");
const file = text("-f, --file <file>", "definition as JSON: a file, or - for stdin");

async function readDefinition(cli: Cli, given: string | undefined): Promise<CreateWorkflow> {
  if (given === undefined) throw new CommandError("usage", "Name the definition with --file.");
  const definition = await readJson(cli, given === "-" ? "-" : `@${given}`);
  if (typeof definition === "object" && definition !== null && Array.isArray((definition as CreateWorkflow).steps)) {
    return definition as CreateWorkflow;
  }
  throw new CommandError("usage", `${given} is not a workflow: it has no list of steps.`);
}

function printPlan(cli: Cli, plan: WorkflowPlan): ExitName {
  if (cli.format !== "human") printJson(cli, plan);
  else {
    const path = plan.critical_path?.step_refs.join(" → ");
    cli.say(
      `${plan.is_valid ? "valid" : "not valid"}, ${plural(plan.step_count, "step")}${path ? `; longest path ${path}` : ""}`,
    );
    for (const { location, message } of plan.issues) cli.say(`  ${location}: ${printableText(message)}`);
    for (const { location, message } of plan.policy_violations)
      cli.say(`  policy, ${location}: ${printableText(message)}`);
  }
  return plan.is_valid && plan.policy_violations.length === 0 ? "ok" : "usage";
}

export const changeWorkflows: readonly Command[] = [
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
  command({
    name: "workflows apply",
    summary: "create a workflow from a file, or change it to match",
    about:
      "Create the workflow of a definition in a file, or change the one with its slug to match. A changed definition becomes a new version. Fields that the file does not name keep their values. A definition that is not valid changes nothing.",
    options: {
      file,
      breaking: flag("--breaking", "mark the new version as a breaking change"),
      dryRun: flag("--dry-run", "check the steps against the workflow that exists, and change nothing"),
    },
    examples: ["millrace workflows apply -f order.json", "millrace workflows apply -f order.json --dry-run"],
    run: async (cli, { options }) => {
      const definition = await readDefinition(cli, options.file);
      const { slug } = definition;
      if (slug === undefined) throw new CommandError("usage", "The definition has no slug, which names the workflow.");
      const path = `/v1/workflows/${encodeURIComponent(slug)}`;
      const before = await unlessMissing(cli.client().request<Workflow>("GET", path));
      if (options.dryRun) {
        if (before === undefined) {
          if (cli.format !== "human") return void printJson(cli, { slug, would: "create" });
          return void cli.say(`${slug} does not exist and would be created. Its steps are checked when it is.`);
        }
        const body = { steps: definition.steps };
        return printPlan(cli, await cli.client().request<WorkflowPlan>("POST", `${path}/plan`, { body }));
      }
      const said = ({ current_version, updated_at }: Workflow) => {
        if (before === undefined) return `${slug} was created`;
        if (current_version !== before.current_version) return `${slug} has the new version ${current_version}`;
        const state = updated_at === before.updated_at ? "is up to date" : "was changed";
        return `${slug} ${state} (version ${current_version})`;
      };
      if (before === undefined) return void (await send(cli, { path: "/v1/workflows", body: definition, said }));
      const body = { ...definition, ...(options.breaking && { breaking_change: true }) };
      await send(cli, { method: "PATCH", path, body, said });
      return undefined;
    },
  }),
];

async function unlessMissing<T>(finding: Promise<T>): Promise<T | undefined> {
  try {
    return await finding;
  } catch (error) {
    if (error instanceof NotFoundError) return undefined;
    throw error;
  }
}

import type { ProjectBudget, SetProjectBudget } from "@millrace/contract/analytics/project-budget";
import type { Cli } from "../../cli.ts";
import { type Command, command, required, text } from "../../command.ts";
import { CommandError } from "../../command-error.ts";
import { printObject } from "../../output/print-object.ts";

const MICROS = 1_000_000;

function printBudget(cli: Cli, budget: ProjectBudget): void {
  const { monthly_budget_microusd, remaining_microusd } = budget;
  printObject(cli, budget, () => [
    ["budget", monthly_budget_microusd === null ? "none" : `${dollars(monthly_budget_microusd)} a month`],
    ["when exceeded", monthly_budget_microusd === null ? null : budget.action],
    ["warnings at", budget.thresholds.map((percent) => `${percent} %`).join(", ")],
    ["period", `${budget.period_starts_at.slice(0, 10)} to ${budget.period_ends_at.slice(0, 10)}`],
    ["spent", dollars(budget.settled_microusd)],
    ["reserved", dollars(budget.reserved_microusd)],
    ["remaining", remaining_microusd === null ? null : dollars(remaining_microusd)],
    ["blocked since", budget.blocked_at],
  ]);
}

function dollars(microusd: number): string {
  return `$${(microusd / MICROS).toFixed(2)}`;
}

function readDollars(given: string): number | null {
  if (given === "none") return null;
  if (!/^\$?\d{1,9}(\.\d{1,6})?$/.test(given)) {
    throw new CommandError("usage", `"${given}" is not an amount.`, ["Use dollars such as 250 or 99.50, or none."]);
  }
  return Math.round(Number(given.replace("$", "")) * MICROS);
}

export const budgetCommands: readonly Command[] = [
  command({
    name: "budget show",
    summary: "show the monthly budget and how much of it is spent",
    examples: ["millrace budget show"],
    run: async (cli) => printBudget(cli, await cli.client().request<ProjectBudget>("GET", "/v1/project-budget")),
  }),
  command({
    name: "budget set",
    summary: "set the monthly budget in US dollars, or remove it with `none`",
    args: [required("amount", "dollars a month, or none")],
    options: {
      action: text("--action <action>", "when it is exceeded: notify, or block new runs"),
    },
    examples: ["millrace budget set 250 --action block", "millrace budget set none"],
    run: async (cli, { args: [amount = ""], options }) => {
      const body: SetProjectBudget = {
        monthly_budget_microusd: readDollars(amount),
        ...(options.action !== undefined && { action: options.action as "notify" | "block" }),
      };
      printBudget(cli, await cli.client().request<ProjectBudget>("PUT", "/v1/project-budget", { body }));
    },
  }),
];

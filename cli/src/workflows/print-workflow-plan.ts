import { printableText } from "@millrace/contract/schema/printable-text";
import type { WorkflowPlan } from "@millrace/contract/workflows/workflow-versions";
import type { Cli } from "../cli.ts";
import type { ExitName } from "../exit-codes.ts";
import { plural } from "../output/plural.ts";
import { printJson } from "../output/print-object.ts";

export function printPlan(cli: Cli, plan: WorkflowPlan): ExitName {
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

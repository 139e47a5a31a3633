import { command, flag } from "../../command.ts";
import { PLAN_OPTIONS, planOf, showPlan } from "../../config/plan-config.ts";
import type { ExitName } from "../../exit-codes.ts";

export const plan = command({
  name: "plan",
  summary: "show what `apply` would change, and change nothing",
  about:
    "Compare the configuration with the project: what would be created, changed field by field, and deleted; runs in flight on what is changed; steps that are not valid or violate the policy. Exits with 1 if it cannot be applied.",
  options: {
    ...PLAN_OPTIONS,
    markdown: flag("--markdown", "print the plan as Markdown, for a comment"),
  },
  examples: ["millrace plan", "millrace plan --detailed-exitcode", "millrace plan --markdown > plan.md"],
  waitsForLimits: true,
  run: async (cli, { options }): Promise<ExitName> => {
    const { plan: found } = await planOf(cli, options);
    if (options.markdown) {
      const { planMarkdown } = await import("../../config/print-plan.ts");
      cli.write(planMarkdown(found));
    } else await showPlan(cli, found);
    if (found.problems.length > 0) return "failure";
    return options.detailedExitcode && found.changes.length > 0 ? "changes" : "ok";
  },
});

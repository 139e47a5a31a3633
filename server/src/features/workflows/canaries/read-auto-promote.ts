import { AUTO_PROMOTE_DEFAULTS, type AutoPromoteConfig, type AutoPromoteInput } from "@millrace/contract/canaries";
import type { ProblemError } from "@millrace/contract/problem";

/** The complete configuration, with the issues that its schema does not cover. */
export function readAutoPromote(input: AutoPromoteInput | null | undefined): {
  config: AutoPromoteConfig | null;
  issues: ProblemError[];
} {
  if (!input) return { config: null, issues: [] };
  const config = { ...AUTO_PROMOTE_DEFAULTS, steps: [...AUTO_PROMOTE_DEFAULTS.steps], ...input };
  const issues = config.steps.flatMap((value, nth) =>
    nth === 0 || value > (config.steps[nth - 1] as number)
      ? []
      : [{ location: `body.auto_promote_config.steps[${nth}]`, message: "must be greater than the one before", value }],
  );
  return { config, issues };
}

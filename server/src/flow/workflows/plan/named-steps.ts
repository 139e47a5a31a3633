import { listTemplatePaths } from "../../templates/check-template.ts";
import type { StepDefinition } from "./definition.ts";

export type NamedSteps = {
  /** Steps whose outputs are read. */
  outputs: Named;
  /** Steps whose status is read, as `steps.<ref>`. */
  statuses: Named;
  has_templates: boolean;
};

/** `all`: they are read as a whole, or by a computed name. */
export type Named = readonly string[] | "all";

/** The steps that a step's templates and condition name. */
export function namedSteps(step: StepDefinition): NamedSteps {
  const paths = listTemplatePaths(templatesOf(step));
  const inTemplates = paths.map((path) => path.split(".")).filter(([root]) => root === "parent_outputs");
  const condition = step.condition ?? "";
  return {
    outputs: inTemplates.some((segments) => segments.length === 1)
      ? "all"
      : join(
          inTemplates.map(([, ref]) => ref ?? ""),
          namedIn(condition, "parent_outputs"),
        ),
    statuses: namedIn(condition, "steps"),
    has_templates: paths.length > 0,
  };
}

function join(refs: readonly string[], more: Named): Named {
  return more === "all" ? "all" : [...new Set([...refs, ...more])];
}

/** All strings of a step in which templates are rendered. */
function templatesOf(step: StepDefinition): unknown[] {
  switch (step.type) {
    case "job":
      return [step.payload, step.concurrency_key, step.event_emit_key];
    case "wait_for_event":
      return [step.event_key];
    case "sleep":
      return [];
    case "approval":
      return [step.message];
    case "map":
      return [step.items, step.payload];
    case "sub_workflow":
      return [step.payload];
  }
}

// By text, not by syntax: a name inside a string literal adds a step too many, never one too few.
function namedIn(condition: string, variable: "parent_outputs" | "steps"): Named {
  const mentions = condition.match(new RegExp(`\\b${variable}\\b`, "g"))?.length ?? 0;
  const named = [...condition.matchAll(new RegExp(`\\b${variable}\\b${FOLLOWED_BY_NAME}`, "g"))];
  return named.length === mentions ? named.map((match) => match[1] ?? match[2] ?? match[3] ?? "") : "all";
}

/** `.charge`, `["charge"]` or `['charge']`, and not the call of a macro. */
const FOLLOWED_BY_NAME = String.raw`\s*(?:\.\s*([A-Za-z_]\w*)\b(?!\s*\()|\[\s*(?:"([^"\\]*)"|'([^'\\]*)')\s*\])`;

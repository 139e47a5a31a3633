import fc from "fast-check";
import type {
  OnFailure,
  StepDefinition,
  StepType,
  WorkflowDefinition,
} from "../../src/flow/workflows/plan/definition.ts";
import { approvalStep, jobStep, sleepStep, waitStep, workflow } from "../seed/workflow-definition.ts";

/** A randomly generated step with its eventual result: the oracle reads this, the planner reads the definition. */
export type Thrown = {
  ref: string;
  type: StepType;
  parents: string[];
  on_failure: OnFailure;
  condition:
    | { kind: "none" | "yes" | "no" | "broken" | "no_boolean" }
    | { kind: "completed" | "has_output"; ref: string };
  template: { kind: "none" | "good" | "missing" } | { kind: "text_of"; ref: string };
  outcome: "completed" | "failed";
};
export type ThrownGraph = { steps: Thrown[]; definition: WorkflowDefinition };

export const PAYLOAD = { flag: true, off: false, id: "o-1" };

/** Up to 30 steps. `steps` lists parents first; the definition lists them in any order. */
export function randomGraph(rarely: { fail_workflow: number }): fc.Arbitrary<ThrownGraph> {
  const steps = fc
    .integer({ min: 1, max: 30 })
    .chain((count) => fc.tuple(...refs(count).map((_, i) => step(i, rarely))));
  const limit = fc.option(fc.integer({ min: 1, max: 4 }));
  return fc.tuple(steps, limit, fc.infiniteStream(fc.nat())).map(([thrown, max_parallel_steps, dice]) => {
    const written = thrown.map((each) => ({ each, place: dice.next().value })).toSorted((a, b) => a.place - b.place);
    return {
      steps: thrown,
      definition: workflow(
        written.map(({ each }) => define(each)),
        { max_parallel_steps },
      ),
    };
  });
}

function refs(count: number): string[] {
  return Array.from({ length: count }, (_, i) => `s${i}`);
}

function step(index: number, rarely: { fail_workflow: number }): fc.Arbitrary<Thrown> {
  const above = refs(index);
  return fc.subarray(above, { maxLength: Math.min(4, index) }).chain((parents) =>
    fc.record<Thrown>({
      ref: fc.constant(`s${index}`),
      type: fc.constantFrom("job", "job", "job", "wait_for_event", "sleep", "approval"),
      parents: fc.constant(parents),
      on_failure: fc.oneof(
        { weight: rarely.fail_workflow, arbitrary: fc.constant("fail_workflow" as const) },
        { weight: 5, arbitrary: fc.constantFrom("skip_dependents", "continue") },
      ),
      condition: condition(parents),
      template: template(parents),
      outcome: fc.constantFrom("completed", "completed", "completed", "failed"),
    }),
  );
}

function condition(parents: readonly string[]): fc.Arbitrary<Thrown["condition"]> {
  const plain = fc.constantFrom(
    ...(["none", "none", "none", "none", "yes", "yes", "no", "broken", "no_boolean"] as const).map((kind) => ({
      kind,
    })),
  );
  if (parents.length === 0) return plain;
  const asking = fc.record({
    kind: fc.constantFrom("completed" as const, "has_output" as const),
    ref: fc.constantFrom(...parents),
  });
  return fc.oneof({ weight: 3, arbitrary: plain }, { weight: 1, arbitrary: asking });
}

function template(parents: readonly string[]): fc.Arbitrary<Thrown["template"]> {
  const plain = fc.constantFrom(
    ...(["none", "none", "none", "good", "good", "good", "missing"] as const).map((kind) => ({ kind })),
  );
  if (parents.length === 0) return plain;
  const asking = fc.record({ kind: fc.constant("text_of" as const), ref: fc.constantFrom(...parents) });
  return fc.oneof({ weight: 4, arbitrary: plain }, { weight: 1, arbitrary: asking });
}

function define(thrown: Thrown): StepDefinition {
  const common = {
    depends_on: thrown.parents,
    on_failure: thrown.on_failure,
    condition: writeCondition(thrown.condition),
  };
  const text = writeTemplate(thrown.template);
  if (thrown.type === "job") return jobStep(thrown.ref, { ...common, payload: text === null ? null : { text } });
  if (thrown.type === "sleep") return sleepStep(thrown.ref, common);
  if (thrown.type === "approval") return approvalStep(thrown.ref, { ...common, message: text });
  return waitStep(thrown.ref, { ...common, event_key: `${thrown.ref}:${text ?? ""}` });
}

function writeCondition(condition: Thrown["condition"]): string | null {
  switch (condition.kind) {
    case "none":
      return null;
    case "yes":
      return "payload.flag";
    case "no":
      return "payload.off";
    case "broken":
      return "payload.nothing == 1";
    case "no_boolean":
      return "payload.id";
    case "completed":
      return `steps.${condition.ref}.status == "completed"`;
    case "has_output":
      return `parent_outputs.${condition.ref} != null`;
  }
}

function writeTemplate(template: Thrown["template"]): string | null {
  switch (template.kind) {
    case "none":
      return null;
    case "good":
      return "for {{payload.id}}";
    case "missing":
      return "for {{payload.nothing}}";
    case "text_of":
      return `for {{parent_outputs.${template.ref}.made_by}}`;
  }
}

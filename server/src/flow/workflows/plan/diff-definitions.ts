import { isDeepStrictEqual } from "node:util";
import type { StepDefinition } from "./definition.ts";

/** The fields of a version that determine how its runs behave. */
export type ComparedVersion = {
  steps: readonly StepDefinition[];
  timeout_secs: number | null;
  max_parallel_steps: number | null;
  payload_schema: unknown;
};

type FieldChange = { field: string; old: unknown; new: unknown };
type StepChange = { step_ref: string; changes: FieldChange[] };
type DefinitionDiff = {
  added: string[];
  removed: string[];
  changed: StepChange[];
  changed_settings: FieldChange[];
};

const SETTINGS = ["timeout_secs", "max_parallel_steps", "payload_schema"] as const;

/** The differences, in the order of the definitions. Steps are matched by name. For `inSlices`. */
export function* diffDefinitions(from: ComparedVersion, to: ComparedVersion): Generator<void, DefinitionDiff> {
  const before = new Map(from.steps.map((step) => [step.step_ref, step]));
  const after = new Map(to.steps.map((step) => [step.step_ref, step]));
  const changed: StepChange[] = [];
  for (const [step_ref, step] of after) {
    const changes = changesOf(before.get(step_ref) ?? step, step);
    if (changes.length > 0) changed.push({ step_ref, changes });
    yield;
  }
  return {
    added: [...after.keys()].filter((ref) => !before.has(ref)),
    removed: [...before.keys()].filter((ref) => !after.has(ref)),
    changed,
    changed_settings: SETTINGS.flatMap((field) => changeOf(field, from[field], to[field])),
  };
}

/** A field that only one of two types has is null on the other side. */
function changesOf(before: StepDefinition, after: StepDefinition): FieldChange[] {
  const [was, is] = [before, after] as unknown as Record<string, unknown>[];
  const fields = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...fields].flatMap((field) => changeOf(field, was?.[field] ?? null, is?.[field] ?? null));
}

function changeOf(field: string, before: unknown, after: unknown): FieldChange[] {
  return isSame(field, before, after) ? [] : [{ field, old: before, new: after }];
}

/** The order of dependency names does not matter. */
function isSame(field: string, before: unknown, after: unknown): boolean {
  if (field !== "depends_on") return isDeepStrictEqual(before, after);
  return isDeepStrictEqual([...(before as string[])].sort(), [...(after as string[])].sort());
}

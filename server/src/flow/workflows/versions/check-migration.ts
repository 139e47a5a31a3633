import { isDeepStrictEqual } from "node:util";
import { hasEnded, type StepStatus } from "../../runs/states.ts";
import type { StepDefinition, WorkflowDefinition } from "../plan/definition.ts";

type MigrationReason = {
  /** Null: it concerns the whole run. */
  step_ref: string | null;
  code: "not_found" | "ended" | "compensating" | "already_there" | "other_version" | "step_changed" | "step_removed";
  /** For a step that differs in the target: the fields that differ. */
  fields: string[];
  message: string;
};

/** The fields of a workflow run that a migration needs. */
export type MigratedRun = {
  status: string;
  phase: string | null;
  version_id: string;
  steps: readonly { step_ref: string; status: StepStatus; generation: number }[];
};

/** The target: its steps, and how it changes the steps of the run's own version. */
export type MigrationTarget = {
  version_id: string;
  refs: ReadonlySet<string>;
  changes: ReadonlyMap<string, StepChange>;
  /** Only runs of this version are selected; null: of any. */
  from_version_id: string | null;
};

export type MigrationCheck =
  | { kind: "migrate"; added: string[]; removed: string[] }
  | { kind: "incompatible" | "unchanged"; reasons: MigrationReason[] };

/**
 * Whether a workflow run can continue under another version. Pure. It can if every step that is not pending is
 * unchanged in the target: ended steps were decided by that definition, running and waiting ones were started by it. A
 * pending step may be changed, and may be removed unless it has run before.
 */
export function checkMigration(run: MigratedRun, target: MigrationTarget): MigrationCheck {
  if (hasEnded(run.status)) return { kind: "incompatible", reasons: [ofRun("ended", `is ${run.status}`)] };
  if (run.phase !== null) return { kind: "incompatible", reasons: [ofRun("compensating", "is compensating")] };
  if (run.version_id === target.version_id) {
    return { kind: "unchanged", reasons: [ofRun("already_there", "is on this version")] };
  }
  if (target.from_version_id !== null && run.version_id !== target.from_version_id) {
    return { kind: "unchanged", reasons: [ofRun("other_version", "is not on the requested version")] };
  }

  const reasons = run.steps.flatMap((step) => checkStep(step, target.changes.get(step.step_ref)) ?? []);
  if (reasons.length > 0) return { kind: "incompatible", reasons };
  const known = new Set(run.steps.map(({ step_ref }) => step_ref));
  return {
    kind: "migrate",
    added: [...target.refs].filter((ref) => !known.has(ref)),
    removed: [...known].filter((ref) => target.changes.get(ref)?.kind === "removed"),
  };
}

function checkStep(
  { step_ref, status, generation }: MigratedRun["steps"][number],
  change: StepChange | undefined,
): MigrationReason | undefined {
  if (!change) return undefined;
  const isOpen = status === "pending";
  if (change.kind === "removed") {
    // Its runs and triggers of older generations would belong to no step, or to a new step of that name.
    if (isOpen && generation === 1) return undefined;
    const state = isOpen ? "has run before" : `is ${status}`;
    return {
      step_ref,
      code: "step_removed",
      fields: [],
      message: `The step ${step_ref} ${state}, but the target does not have it.`,
    };
  }
  if (isOpen) return undefined;
  const { fields } = change;
  const message = `The step ${step_ref} is ${status}, and the target changes its ${fields.join(", ")}.`;
  return { step_ref, code: "step_changed", fields, message };
}

function ofRun(code: MigrationReason["code"], what: string): MigrationReason {
  return { step_ref: null, code, fields: [], message: `The workflow run ${what}.` };
}

/** What another version changes about a step: it is gone, or these fields differ. */
type StepChange = { kind: "removed" } | { kind: "changed"; fields: string[] };

/**
 * The steps of one version that another lacks or changes. Every stored field counts, even one whose work is done: a
 * retry of the step would read it. Only the order of sets, and of the steps themselves, is ignored.
 */
export function stepChanges(from: WorkflowDefinition, to: WorkflowDefinition): Map<string, StepChange> {
  const targets = new Map(to.steps.map((step) => [step.step_ref, step]));
  const changes = new Map<string, StepChange>();
  for (const step of from.steps) {
    const change = compare(step, targets.get(step.step_ref));
    if (change) changes.set(step.step_ref, change);
  }
  return changes;
}

function compare(step: StepDefinition, target: StepDefinition | undefined): StepChange | undefined {
  if (!target) return { kind: "removed" };
  const [before, after] = [normal(step), normal(target)];
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  // A field that an older version lacks equals null.
  const fields = names.filter((name) => !isDeepStrictEqual(before[name] ?? null, after[name] ?? null));
  return fields.length === 0 ? undefined : { kind: "changed", fields };
}

const SETS: ReadonlySet<string> = new Set(["depends_on", "approvers"]);

function normal(step: StepDefinition): Record<string, unknown> {
  const sorted = (name: string, value: unknown) => (SETS.has(name) && Array.isArray(value) ? value.toSorted() : value);
  return Object.fromEntries(Object.entries(step).map(([name, value]) => [name, sorted(name, value)]));
}

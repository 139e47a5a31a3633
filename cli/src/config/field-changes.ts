import { isSame } from "./items.ts";
import type { Body, Kind } from "./kinds.ts";

/** `field` may lead into a field: `steps.charge.timeout_secs`, `variables.STRIPE_KEY`. Null: not there. */
export type FieldChange = { field: string; old: unknown; new: unknown };

const SECRET = "(secret)";

/** The differences between two complete bodies. Values of secrets are not part of them. */
export function fieldChanges(kind: Kind, before: Body, after: Body): FieldChange[] {
  return Object.keys(kind.fields).flatMap((field) => {
    const [old, now] = [before[field], after[field]];
    if (isSame(old, now)) return [];
    const shape = kind.secrets?.[field];
    if (shape === "map") return secretChanges(field, (old ?? {}) as Body, (now ?? {}) as Body);
    if (shape !== undefined) return [{ field, old: SECRET, new: SECRET }];
    if (field === "steps") return stepChanges((old ?? []) as Body[], (now ?? []) as Body[]);
    return [{ field, old, new: now }];
  });
}

function secretChanges(field: string, before: Body, after: Body): FieldChange[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  return names.flatMap((name) => {
    if (before[name] === after[name]) return [];
    const shown = (body: Body) => (name in body ? SECRET : null);
    return [{ field: `${field}.${name}`, old: shown(before), new: shown(after) }];
  });
}

/** Steps are matched by name. Their order alone is a change too, since it is stored. */
function stepChanges(before: readonly Body[], after: readonly Body[]): FieldChange[] {
  const old = new Map(before.map((step) => [String(step.step_ref), step]));
  const now = new Map(after.map((step) => [String(step.step_ref), step]));
  const changes = [...new Set([...old.keys(), ...now.keys()])].flatMap((ref): FieldChange[] => {
    const [was, is] = [old.get(ref), now.get(ref)];
    if (!was || !is) return [{ field: `steps.${ref}`, old: was ?? null, new: is ?? null }];
    const fields = [...new Set([...Object.keys(was), ...Object.keys(is)])];
    return fields
      .filter((field) => !isSame(was[field], is[field]))
      .map((field) => ({ field: `steps.${ref}.${field}`, old: was[field] ?? null, new: is[field] ?? null }));
  });
  return changes.length > 0 ? changes : [{ field: "steps", old: [...old.keys()], new: [...now.keys()] }];
}

/** The fields of the API that must be sent for these changes. */
export function changedFieldNames(changes: readonly FieldChange[]): string[] {
  return [...new Set(changes.map(({ field }) => field.split(".")[0] ?? field))];
}

import type { Environment } from "@millrace/contract/projects/environments";

export type Resolved = {
  name: string;
  value: string /** The parent that it comes from; undefined: its own. */;
  from?: string;
};

/** The variables that a run receives, by name: the environment's own over those of its parents. */
export function resolveVariables(environment: Environment, all: readonly Environment[]): Resolved[] {
  const found = new Map<string, Resolved>();
  const passed = new Set<string>();
  let next: Environment | undefined = environment;
  while (next && !passed.has(next.id)) {
    const { id, name: from, variables, parent_id }: Environment = next;
    passed.add(id);
    for (const [name, value] of Object.entries(variables)) {
      if (!found.has(name)) found.set(name, { name, value, ...(id !== environment.id && { from }) });
    }
    next = all.find((each) => each.id === parent_id);
  }
  return [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Whether an environment is another one or inherits from it, directly or not. */
export function inheritsFrom(environment: Environment, id: string, all: readonly Environment[]): boolean {
  const passed = new Set<string>();
  let next: Environment | undefined = environment;
  while (next && !passed.has(next.id)) {
    if (next.id === id) return true;
    passed.add(next.id);
    const { parent_id }: Environment = next;
    next = all.find((each) => each.id === parent_id);
  }
  return false;
}

export type Difference = {
  name: string;
  kind: "same" | "different" | "only_left" | "only_right";
  left: string | undefined;
  right: string | undefined;
};

/** The variables of two environments side by side, as their runs receive them. */
export function compareVariables(left: readonly Resolved[], right: readonly Resolved[]): Difference[] {
  const values = (of: readonly Resolved[]) => new Map(of.map(({ name, value }) => [name, value]));
  const [a, b] = [values(left), values(right)];
  return [...new Set([...a.keys(), ...b.keys()])].sort().map((name): Difference => {
    const [one, other] = [a.get(name), b.get(name)];
    const kind =
      one === undefined ? "only_right" : other === undefined ? "only_left" : one === other ? "same" : "different";
    return { name, kind, left: one, right: other };
  });
}

import type { ManagedObject } from "@millrace/contract/projects/project-config";
import { type FieldChange, fieldChanges } from "./field-changes.ts";
import { type Item, idOf, normalBody, type RemoteItem } from "./items.ts";
import { type Body, KEY, KINDS, type Kind } from "./kinds.ts";
import { hasHiddenSecret, hiddenFields, resolveSecrets, type Values } from "./secrets.ts";
import { stepRefs } from "./steps.ts";

export type Action = "create" | "update" | "replace" | "delete" | "reset";

/** One object that differs. `sent` has the values of all its fields. */
export type Change = {
  action: Action;
  item: Item;
  remote: RemoteItem | undefined;
  fields: FieldChange[];
  sent: Body;
  /** What a person should know: runs in flight, violations. */
  notes: string[];
};

export type Plan = {
  owner: string;
  items: Item[];
  /** In the order in which they are applied. */
  changes: Change[];
  unchanged: number;
  /** Objects that no configuration manages. */
  unmanaged: number;
  /** Environment variables without a value that is needed. */
  missing: string[];
  /** Reasons for which nothing may be applied. */
  problems: string[];
};

type Given = { owner: string; items: Item[]; remote: readonly RemoteItem[]; managed: readonly ManagedObject[] };

/** Compares a configuration with the project. `resend` includes secrets that the service does not show. */
export function makePlan({ owner, items, remote, managed }: Given, values: Values, resend: boolean): Plan {
  const found = new Map(remote.map((item) => [idOf(item), item]));
  const owners = new Map(managed.map((object) => [`${object.kind} ${object.key}`, object.owner]));
  const wanted = new Set(items.map(idOf));
  const missing: string[] = [];
  const replaced = new Set<unknown>();
  const changes = inOrder(items).flatMap((item) => {
    // The subscriptions of a source are deleted with it.
    const there = replaced.has(item.body.source) ? undefined : found.get(idOf(item));
    const resolved = resolveSecrets(item, there, values);
    const made = changeOf(item, there, resolved, resend);
    if (made.some(({ action }) => action === "replace") && item.kind.kind === "event_source") replaced.add(item.key);
    missing.push(
      ...resolved.missing.filter(({ field }) => made.some((change) => isSent(change, field))).map(({ env }) => env),
    );
    return made;
  });
  const removed = remote.filter((item) => owners.get(idOf(item)) === owner && !wanted.has(idOf(item)));
  return {
    ...{ owner, items, missing: [...new Set(missing)] },
    changes: [...changes, ...removed.reverse().flatMap(removalOf)],
    unchanged: items.length - changes.length,
    unmanaged: remote.filter((item) => !item.isStandard && !wanted.has(idOf(item)) && !owners.has(idOf(item))).length,
    problems: items.flatMap((item) => {
      const other = owners.get(idOf(item));
      return other === undefined || other === owner ? [] : [`${idOf(item)} is managed by the configuration ${other}.`];
    }),
  };
}

function isSent({ action, fields }: Change, name: string): boolean {
  return action === "create" || action === "replace" || fields.some(({ field }) => field.split(".")[0] === name);
}

type Both = { compared: Body; sent: Body };

function changeOf(item: Item, remote: RemoteItem | undefined, { compared, sent }: Both, resend: boolean): Change[] {
  if (!remote) return [{ action: "create", item, remote, fields: [], sent, notes: [] }];
  const fields = fieldChanges(item.kind, remote.body, compared);
  const hidden = resend && hasHiddenSecret(item) ? hiddenFields(item) : [];
  for (const name of hidden.filter((each) => !fields.some(({ field }) => field.startsWith(each)))) {
    fields.push({ field: name, old: "(secret)", new: "(secret)" });
  }
  if (fields.length === 0) return [];
  const isFixed = fields.some(({ field }) => item.kind.fixed?.includes(field));
  return [{ action: isFixed ? "replace" : "update", item, remote, fields, sent, notes: [] }];
}

/** What every project has is reset to its defaults. The name of an environment stays. */
function removalOf(remote: RemoteItem): Change[] {
  const { kind, key, body } = remote;
  if (!remote.isStandard) return [{ action: "delete", item: remote, remote, fields: [], sent: {}, notes: [] }];
  const bare = normalBody(kind, key, kind.fields.name === KEY ? { name: body.name } : {});
  const fields = fieldChanges(kind, body, bare);
  return fields.length === 0 ? [] : [{ action: "reset", item: remote, remote, fields, sent: bare, notes: [] }];
}

/** What others of the same kind refer to comes first. Cycles stay as they are. */
function inOrder(items: readonly Item[]): Item[] {
  const byId = new Map(items.map((item) => [idOf(item), item]));
  const ordered = new Set<Item>();
  const visit = (item: Item, above: ReadonlySet<Item>) => {
    if (ordered.has(item) || above.has(item)) return;
    const below = new Set([...above, item]);
    for (const ref of refsOf(item)) {
      const needed = byId.get(ref);
      if (needed && needed.kind === item.kind) visit(needed, below);
    }
    ordered.add(item);
  };
  for (const kind of KINDS) for (const item of items.filter((each) => each.kind === kind)) visit(item, new Set());
  return [...ordered];
}

/** The objects that an object refers to, as `job mail`. */
export function refsOf({ kind, body }: { kind: Kind; body: Body }): string[] {
  const named = Object.entries(kind.refs ?? {}).flatMap(([field, ref]) =>
    [body[field]].flat().flatMap((name) => (typeof name === "string" ? [`${ref} ${name}`] : [])),
  );
  return Array.isArray(body.steps) ? [...named, ...stepRefs(body.steps)] : named;
}

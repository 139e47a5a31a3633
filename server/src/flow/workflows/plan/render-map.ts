import { MAX_ITEMS } from "@millrace/contract/workflows/workflow-steps";
import { listTemplatePaths } from "../../templates/check-template.ts";
import { type Rendered, renderTemplate } from "../../templates/render-template.ts";
import { readPath } from "../../templates/template-parts.ts";
import type { MapStep, RenderedStep, StepError } from "./definition.ts";

type StepScope = { payload: unknown; parent_outputs: Record<string, unknown> };
type StepRendering = { ok: true; rendered: RenderedStep } | { ok: false; error: StepError };

/**
 * The list of a map that is about to start, and the values its items will read. These are stored with the step: an item
 * that starts an hour later reads the same, and never the whole payload of the run, which may contain the list.
 */
export function renderMap(step: MapStep, scope: StepScope): StepRendering {
  const items = renderTemplate(step.items, scope, "items");
  if (!items.ok) return failed(problemOf(items));
  if (!Array.isArray(items.value)) {
    return failed({ code: "items_not_a_list", message: `items must render to a list, not ${typeOf(items.value)}` });
  }
  const { length } = items.value;
  if (length > MAX_ITEMS) {
    return failed({ code: "too_many_items", message: `items has ${length} items; at most ${MAX_ITEMS} are allowed` });
  }
  const read = readNamed(step, scope);
  if ("code" in read) return failed(read);
  return { ok: true, rendered: { type: "map", items: items.value, scope: read.scope } };
}

/** The payload of an item. By default the item and its index. */
export function renderItem(
  { payload }: MapStep,
  scope: Record<string, unknown>,
  { item, index }: { item: unknown; index: number },
): { payload: unknown } | StepError {
  if (payload === null) return { payload: { item, index } };
  const own = renderTemplate(payload, { ...scope, item, index }, "payload");
  return own.ok ? { payload: own.value } : problemOf(own);
}

/** Only the values that the payload names, each at its path: a list becomes an object with its indexes as names. */
function readNamed({ payload }: MapStep, scope: StepScope): { scope: Record<string, unknown> } | StepError {
  const named: Node = newNode();
  for (const path of listTemplatePaths(payload)) {
    if (path === "item" || path === "index" || path.startsWith("item.") || path.startsWith("index.")) continue;
    const found = readPath(scope, path);
    if (!found.ok) return missing(found.message);
    put(named, path.split("."), found.value);
  }
  return { scope: Object.fromEntries([...named.children].map(([name, child]) => [name, toJson(child)])) };
}

type Node = { value?: unknown; children: Map<string, Node> };

function newNode(): Node {
  return { children: new Map() };
}

function put(root: Node, segments: string[], value: unknown): void {
  let node = root;
  for (const segment of segments) {
    const next = node.children.get(segment) ?? newNode();
    node.children.set(segment, next);
    node = next;
  }
  node.value = value;
}

/**
 * A value that is read as a whole includes all paths below it. The null of a step without output stays null, and so
 * does everything below it.
 */
function toJson({ value, children }: Node): unknown {
  if (value !== undefined && (value !== null || children.size === 0)) return value;
  const below = [...children].map(([name, child]) => [name, toJson(child)] as const);
  if (value === null || below.length === 0) return null;
  return Object.fromEntries(below);
}

function problemOf({ problem }: Extract<Rendered<unknown>, { ok: false }>): StepError {
  return { code: problem.code, message: `${problem.location} cannot be rendered: ${problem.message}` };
}

function missing(message: string): StepError {
  return { code: "template_path_missing", message: `payload cannot be rendered: ${message}` };
}

function typeOf(value: unknown): string {
  return value === null ? "null" : typeof value === "object" ? "an object" : `a ${typeof value}`;
}

function failed(error: StepError): StepRendering {
  return { ok: false, error };
}

import { indexLocation, keyLocation } from "../../platform/json/json-location.ts";
import { MAX_TEMPLATE_DEPTH, type TemplateProblem, type TemplateProblemCode, TOO_DEEP } from "./render-template.ts";
import { splitTemplate } from "./template-parts.ts";

/** In all strings of one value together: each template is checked, stored and rendered. */
const MAX_TEMPLATES = 1_000;

/** The issues that can be found before rendering, reported on save. `roots`: payload, item, … */
export function checkTemplate(value: unknown, roots: readonly string[], location = "template"): TemplateProblem[] {
  return hasTooManyTemplates(value) ? [tooManyTemplates(location)] : findTemplateProblems(value, roots, location);
}

/** The same for a value whose templates were counted. */
export function findTemplateProblems(value: unknown, roots: readonly string[], location: string): TemplateProblem[] {
  const problems: TemplateProblem[] = [];
  const add = (code: TemplateProblemCode, at: string, message: string) =>
    problems.push({ location: at, message, code });

  visit(value, location, 0, {
    text: (source, at) => checkText(source, roots, (code, message) => add(code, at, message)),
    key: (key, at) => {
      if (key.includes("{{")) add("template_malformed", at, "has a template in a key, where it is not rendered");
    },
    tooDeep: (at) => add("template_too_deep", at, TOO_DEEP),
  });
  return problems;
}

/** The paths that a checked value reads, each once, in order: `["payload.order.id", "parent_outputs.charge.id"]`. */
export function listTemplatePaths(value: unknown): string[] {
  const paths = new Set<string>();
  visit(value, "", 0, {
    text: (source) => {
      for (const part of splitTemplate(source).parts) if (part.kind === "path") paths.add(part.path);
    },
    key: () => {},
    tooDeep: () => {},
  });
  return [...paths];
}

export function tooManyTemplates(location: string): TemplateProblem {
  return { location, message: `has more than ${MAX_TEMPLATES} templates`, code: "template_malformed" };
}

export function hasTooManyTemplates(value: unknown): boolean {
  return countTemplates(value, MAX_TEMPLATES, 0) > MAX_TEMPLATES;
}

/** Stops counting above `max`, and below the maximum nesting depth. */
function countTemplates(value: unknown, max: number, depth: number): number {
  let count = 0;
  if (typeof value === "string")
    for (let at = value.indexOf("{{"); at >= 0 && count <= max; at = value.indexOf("{{", at + 2)) count++;
  if (typeof value !== "object" || value === null || depth >= MAX_TEMPLATE_DEPTH) return count;
  // Not `Object.values`, which takes twice as long for an object of 20,000 names.
  for (const name of Object.keys(value)) {
    count += countTemplates((value as Record<string, unknown>)[name], max - count, depth + 1);
    if (count > max) break;
  }
  return count;
}

function isPlain(value: unknown): boolean {
  return typeof value === "string" ? !value.includes("{{") : typeof value !== "object" || value === null;
}

type Visitor = {
  text(source: string, location: string): void;
  key(key: string, location: string): void;
  tooDeep(location: string): void;
};

function visit(value: unknown, location: string, depth: number, visitor: Visitor): void {
  if (typeof value === "string") {
    if (value.includes("{{")) visitor.text(value, location);
    return;
  }
  if (typeof value !== "object" || value === null) return;
  if (depth >= MAX_TEMPLATE_DEPTH) {
    visitor.tooDeep(location);
    return;
  }

  if (Array.isArray(value)) {
    for (const [i, item] of value.entries()) visit(item, indexLocation(location, i), depth + 1, visitor);
    return;
  }
  for (const key of Object.keys(value)) {
    const field = (value as Record<string, unknown>)[key];
    // Most fields are plain, and need no location.
    if (!key.includes("{{") && isPlain(field)) continue;
    const at = keyLocation(location, key);
    visitor.key(key, at);
    visit(field, at, depth + 1, visitor);
  }
}

function checkText(
  source: string,
  roots: readonly string[],
  add: (code: TemplateProblemCode, message: string) => void,
): void {
  const { parts, issues } = splitTemplate(source);
  for (const issue of issues) add("template_malformed", issue);
  if (issues.length > 0) return;

  for (const part of parts) {
    if (part.kind === "text") continue;
    const root = part.path.split(".", 1)[0] ?? "";
    if (!roots.includes(root)) {
      add("template_unknown_root", `reads ${part.path}, but a template can read only ${roots.join(", ")}`);
    }
  }
}

export type TemplatePart = { kind: "text"; text: string } | { kind: "path"; path: string };
export type SplitTemplate = { parts: TemplatePart[]; issues: string[] };

/**
 * Splits `order-{{ payload.id }}` into text and paths, with every issue found. Templates are paths only: there is
 * nothing to evaluate. A lone `}}` is text, as in serialized JSON; a literal `{{` cannot be written.
 */
export function splitTemplate(source: string): SplitTemplate {
  const parts: TemplatePart[] = [];
  const issues: string[] = [];
  let at = 0;
  for (let open = source.indexOf("{{"); open >= 0; open = source.indexOf("{{", at)) {
    const close = source.indexOf("}}", open + 2);
    if (close < 0) {
      issues.push(`has "{{" at position ${open} without "}}"`);
      break;
    }
    const path = source.slice(open + 2, close).trim();
    if (!PATH.test(path)) issues.push(describeBadPath(path, open));
    if (open > at) parts.push({ kind: "text", text: source.slice(at, open) });
    parts.push({ kind: "path", path });
    at = close + 2;
  }
  if (at < source.length) parts.push({ kind: "text", text: source.slice(at) });
  return { parts, issues };
}

const PATH = /^[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*$/;

function describeBadPath(path: string, position: number): string {
  if (path.includes("{")) return `has braces inside the template at position ${position}`;
  if (path === "") return `has an empty template at position ${position}`;
  const shown = JSON.stringify(path.slice(0, 100));
  return `has a template at position ${position} that is not a path like payload.order.id: ${shown}`;
}

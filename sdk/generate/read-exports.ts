import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** An export of an entry point: its name, its comment, and its declaration without code. */
export type Export = { name: string; comment: string; declaration: string };

/**
 * The exports of an entry point, in its order: those that it lists from other files, and its own functions. Objects of the
 * API are left out; they have a reference of their own.
 */
export function readExports(file: string): Export[] {
  const text = readFileSync(file, "utf8");
  const lists = [...text.matchAll(/^export (?:type )?\{([^}]+)\} from "(\.\/(?!generated).+)";$/gm)];
  const listed = lists.flatMap(([, names = "", source = ""]) => {
    const from = readFileSync(join(dirname(file), source), "utf8");
    return namesIn(names).map((name) => declarationOf(from, name));
  });
  const own = [...text.matchAll(/^export (?:async )?function (\w+)/gm)].map(([, name = ""]) => name);
  return [...listed, ...[...new Set(own)].map((name) => declarationOf(text, name))];
}

function namesIn(list: string): string[] {
  return list
    .split(",")
    .map((name) => name.replace("type ", "").trim())
    .filter((name) => name !== "");
}

const KINDS = "(?:type|interface|(?:async )?function|class|const)";

/** Our formatter puts each declaration at the start of a line, and its comment right above it. */
function declarationOf(text: string, name: string): Export {
  const start = new RegExp(`((?:^/\\*\\*(?:[^*]|\\*(?!/))*\\*/\\n)?)^(export ${KINDS} ${name}\\b)`, "gm");
  const found = [...text.matchAll(start)];
  const [first] = found;
  if (!first) throw new Error(`no declaration of ${name}`);
  const declarations = found.map((match) => withoutCode(text.slice(match.index + (match[1]?.length ?? 0))));
  // The last of several is the implementation, which callers do not see.
  const visible = declarations.length > 1 ? declarations.slice(0, -1) : declarations;
  return { name, comment: plainComment(first[1] ?? ""), declaration: visible.join("\n") };
}

/** Up to the end of the declaration; of a class only the first line and its fields. */
function withoutCode(text: string): string {
  const [line = ""] = text.split("\n", 1);
  if (line.startsWith("export class")) return classHead(text);
  const end = endOf(text);
  const isFunction = /^export (async )?function/.test(text);
  return `${text.slice(0, end)}${isFunction ? ";" : ""}`.replace("export async function", "export function");
}

/** The position after a type's semicolon or an interface's brace, or before a function's body or semicolon. */
function endOf(text: string): number {
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at] ?? "";
    if ("([{".includes(sign)) {
      // The body begins at the end of a line, outside of all brackets. An object type in the result does too, but continues.
      if (sign === "{" && depth === 0 && /^export (async )?function/.test(text) && text[at + 1] === "\n") return at - 1;
      depth += 1;
    } else if (")]}".includes(sign)) {
      depth -= 1;
      if (depth === 0 && sign === "}" && text.startsWith("export interface")) return at + 1;
    }
    if (sign === ";" && depth === 0) return /^export (async )?function/.test(text) ? at : at + 1;
  }
  return text.length;
}

function classHead(text: string): string {
  const end = text.indexOf("\n}");
  const [head = "", ...lines] = text.slice(0, end).split("\n");
  const fields = lines.filter((line) => /^ {2}(readonly \w+.*;|get \w+\(\): .*\{)$/.test(line));
  const shown = fields.map((line) => line.replace(/^ {2}get (\w+)\(\): (.*) \{$/, "  readonly $1: $2;"));
  return shown.length === 0 ? `${head}}` : [head, ...shown, "}"].join("\n");
}

/** The sentences, and the examples as blocks of code. */
function plainComment(comment: string): string {
  const lines = comment
    .replace(/^\/\*\*/, "")
    .replace(/\*\/\s*$/, "")
    .split("\n")
    .map((line) => line.replace(/^ \* ?/, "").trimEnd());
  const [text = "", ...examples] = lines.join("\n").split(/^@example$/m);
  return [text.trim(), ...examples.map((example) => `\`\`\`ts generated\n${example.trim()}\n\`\`\``)].join("\n\n");
}

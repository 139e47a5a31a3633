import type { ASTNode } from "@marcbachmann/cel-js";
import { findPatternIssue } from "./linear-regex.ts";

/** Returns the first part of an expression that is not allowed here, or undefined. */
export function findForbidden(root: ASTNode): Forbidden | undefined {
  return inspect(root, false);
}

/**
 * The library's own `matches` is a backtracking RegExp and cannot be replaced, so every call is renamed to ours before
 * type checking.
 */
export function routeMatchesToRe2(root: ASTNode): void {
  for (const node of listNodes(root)) {
    if (node.op === "rcall" && node.args[0] === "matches")
      (node.args as [string, ASTNode, ASTNode[]])[0] = "matchesRe2";
  }
}

/** A node and everything below it, with macros unexpanded. */
export function* listNodes(node: ASTNode): Generator<ASTNode> {
  yield node;
  for (const child of listChildren(node)) yield* listNodes(child);
}

const COMPREHENSIONS: ReadonlySet<string> = new Set(["all", "exists", "exists_one", "filter", "map"]);

type Forbidden = { message: string; position: number };

// Excluded on purpose: cel.bind (each doubles the last), join (a list of one large text is gigabytes), bytes (not
// JSON), lastIndexOf (quadratic: 1.4 s for 80 KB; indexOf is enough).
const FUNCTIONS = new Set(["bool", "double", "duration", "dyn", "has", "int", "size", "string", "timestamp", "type"]);
const METHODS = new Set([
  ...COMPREHENSIONS,
  "contains",
  "endsWith",
  "indexOf",
  "lowerAscii",
  "matches",
  "size",
  "split",
  "startsWith",
  "substring",
  "trim",
  "upperAscii",
  "getDate",
  "getDayOfMonth",
  "getDayOfWeek",
  "getDayOfYear",
  "getFullYear",
  "getHours",
  "getMilliseconds",
  "getMinutes",
  "getMonth",
  "getSeconds",
]);

function inspect(node: ASTNode, insideComprehension: boolean): Forbidden | undefined {
  const own = inspectCall(node) ?? inspectPattern(node);
  if (own) return own;

  if (!isComprehension(node)) return inspectAll(listChildren(node), insideComprehension);
  if (insideComprehension) {
    return { message: `${node.args[0]}() may not be nested in another comprehension`, position: node.pos };
  }
  // A chain, list.filter(…).map(…), is not nested: its costs add instead of multiplying.
  return inspect(node.args[1], insideComprehension) ?? inspectAll(node.args[2], true);
}

function inspectAll(nodes: readonly ASTNode[], insideComprehension: boolean): Forbidden | undefined {
  for (const node of nodes) {
    const forbidden = inspect(node, insideComprehension);
    if (forbidden) return forbidden;
  }
  return undefined;
}

function inspectCall(node: ASTNode): Forbidden | undefined {
  if (node.op !== "call" && node.op !== "rcall") return undefined;
  const name = node.args[0];
  if ((node.op === "call" ? FUNCTIONS : METHODS).has(name)) return undefined;
  return { message: `Unknown function: ${name}`, position: node.pos };
}

function inspectPattern(node: ASTNode): Forbidden | undefined {
  if (node.op !== "rcall" || node.args[0] !== "matches") return undefined;
  const pattern = node.args[2][0];
  if (pattern?.op !== "value" || typeof pattern.args !== "string") return undefined;
  const message = findPatternIssue(pattern.args);
  return message ? { message, position: pattern.pos } : undefined;
}

export function isComprehension(node: ASTNode): node is Extract<ASTNode, { op: "rcall" }> {
  return node.op === "rcall" && COMPREHENSIONS.has(node.args[0]);
}

function listChildren(node: ASTNode): readonly ASTNode[] {
  switch (node.op) {
    case "value":
    case "id":
      return [];
    case ".":
    case ".?":
      return [node.args[0]];
    case "!_":
    case "-_":
      return [node.args];
    case "call":
      return node.args[1];
    case "rcall":
      return [node.args[1], ...node.args[2]];
    case "map":
      return node.args.flat();
    default:
      return node.args;
  }
}

import { type ASTNode, parse } from "@marcbachmann/cel-js";
import { listNodes } from "./cel-guard.ts";

/** `steps.charge` → root `steps`, name `charge`. */
export type CelRead = { root: string; name: string };

/**
 * The names that a valid expression reads directly below its variables, written as `steps.charge` or `steps["charge"]`.
 * Computed names are not included.
 */
export function listReads(source: string): CelRead[] {
  return [...listNodes(parse(source).ast)].flatMap((node) => readOf(node) ?? []);
}

function readOf(node: ASTNode): CelRead | undefined {
  if (node.op !== "." && node.op !== ".?" && node.op !== "[]" && node.op !== "[?]") return undefined;
  const [object, key] = node.args;
  const name = typeof key === "string" ? key : key.op === "value" ? key.args : undefined;
  return object.op === "id" && typeof name === "string" ? { root: object.args, name } : undefined;
}

import { deepen, type Evaluation, fail, nothingSeen, type Seen, spend } from "./evaluation.ts";

export type Check<T> = (value: T, evaluation: Evaluation) => void;
export type Fields = Record<string, unknown>;

/** A schema, ready to be applied. Its checks are in the order in which Ajv reports issues. */
export type SchemaNode = {
  /** Its path in the document: `.properties.order`. */
  at: string;
  /** The URI of the resource it belongs to. */
  resource: string;
  types: ReadonlySet<string> | undefined;
  /** `type` as written, for the message. */
  type: unknown;
  /**
   * If there are checks for the only type, the type issue is reported in their position. Undefined: before all others.
   */
  type_kind: Kind | undefined;
  any: Check<unknown>[];
  number: Check<number>[];
  string: Check<string>[];
  array: Check<unknown[]>[];
  object: Check<Fields>[];
  /** The schemas applied to the same value, for the cost. */
  in_place: SchemaNode[];
};

/** The order of the groups of checks; `true`, `false` and null have none. */
export const KINDS = { number: 1, string: 2, array: 3, object: 4, none: 5 } as const;
type Kind = (typeof KINDS)[keyof typeof KINDS];

/** Whether the value matches. Issues are added to the evaluation. */
export function applySchema(node: SchemaNode, value: unknown, evaluation: Evaluation): boolean {
  spend(evaluation, 3);
  deepen(evaluation);
  const { issues, resources } = evaluation;
  const entersResource = resources !== undefined && resources.at(-1) !== node.resource;
  if (entersResource) resources.push(node.resource);
  const before = issues.length;

  const kind = kindOf(value);
  const isWrong = node.types !== undefined && !fitsType(node.types, kind, value);
  const order = isWrong ? (node.type_kind ?? 0) : KINDS.none;
  if (order === 0) failType(node, value, evaluation);
  for (const check of node.any) check(value, evaluation);
  if (isWrong && order > 0 && order < kind) failType(node, value, evaluation);
  applyKind(node, kind, value, evaluation);
  if (isWrong && order > kind) failType(node, value, evaluation);

  if (entersResource) resources.pop();
  evaluation.depth--;
  return issues.length === before;
}

/** Applies a schema to a property or an item. */
export function applyToChild(node: SchemaNode, key: string | number, child: unknown, evaluation: Evaluation): boolean {
  const { seen } = evaluation;
  spend(evaluation, seen ? 6 : 2);
  if (seen) evaluation.seen = nothingSeen();
  evaluation.path.push(key);
  const fits = applySchema(node, child, evaluation);
  evaluation.path.pop();
  evaluation.seen = seen;
  return fits;
}

/** Applies a schema to the same value. Its evaluated properties are kept always, or only if the value matches. */
export function applyInPlace(
  node: SchemaNode,
  value: unknown,
  evaluation: Evaluation,
  keeps: "always" | "if it fits" | "never",
): boolean {
  const outer = evaluation.seen;
  if (!outer) return applySchema(node, value, evaluation);
  const inner = nothingSeen();
  evaluation.seen = inner;
  const fits = applySchema(node, value, evaluation);
  evaluation.seen = outer;
  if (keeps === "always" || (keeps === "if it fits" && fits)) mergeSeen(outer, inner, evaluation);
  return fits;
}

function mergeSeen(outer: Seen, inner: Seen, evaluation: Evaluation): void {
  if (inner.items === true || (outer.items !== true && inner.items > outer.items)) outer.items = inner.items;
  if (inner.properties === true) outer.properties = true;
  if (outer.properties === true || inner.properties === true) return;
  spend(evaluation, 4 + 6 * inner.properties.size);
  for (const name of inner.properties) outer.properties.add(name);
}

function applyKind(node: SchemaNode, kind: Kind, value: unknown, evaluation: Evaluation): void {
  switch (kind) {
    case KINDS.object:
      for (const check of node.object) check(value as Fields, evaluation);
      break;
    case KINDS.string:
      for (const check of node.string) check(value as string, evaluation);
      break;
    case KINDS.number:
      for (const check of node.number) check(value as number, evaluation);
      break;
    case KINDS.array:
      for (const check of node.array) check(value as unknown[], evaluation);
  }
}

function kindOf(value: unknown): Kind {
  switch (typeof value) {
    case "string":
      return KINDS.string;
    case "number":
      return KINDS.number;
    case "object":
      return value === null ? KINDS.none : Array.isArray(value) ? KINDS.array : KINDS.object;
    default:
      return KINDS.none;
  }
}

function fitsType(types: ReadonlySet<string>, kind: Kind, value: unknown): boolean {
  switch (kind) {
    case KINDS.object:
      return types.has("object");
    case KINDS.string:
      return types.has("string");
    case KINDS.array:
      return types.has("array");
    case KINDS.number:
      return types.has("number") || (types.has("integer") && Number.isInteger(value));
    default:
      return types.has(value === null ? "null" : "boolean");
  }
}

function failType({ type }: SchemaNode, value: unknown, evaluation: Evaluation): void {
  fail(evaluation, "type", value, { type });
}

import { syntaxTree } from "@codemirror/language";
import type { EditorState } from "@codemirror/state";

type SyntaxNode = ReturnType<typeof syntaxTree>["topNode"];
type Range = { from: number; to: number };

/**
 * The range of `payload.items[0].id` in JSON. Names that the text does not have, such as the one of the whole document,
 * are skipped; what is missing is shown at its nearest parent.
 */
export function findLocation(state: EditorState, location: string): Range | undefined {
  const path = location.match(/[^.[\]/]+/g) ?? [];
  let node: SyntaxNode | null = syntaxTree(state).topNode.firstChild;
  if (!node) return undefined;
  let found: Range = firstLineOf(node, state);
  for (const name of path) {
    const inner: SyntaxNode | null = node && childOf(state, node, name);
    if (!inner) continue;
    const property: SyntaxNode | null = inner.parent?.name === "Property" ? inner.parent : null;
    found = property ? { from: property.from, to: firstLineOf(inner, state).to } : firstLineOf(inner, state);
    node = inner;
  }
  return found;
}

function childOf(state: EditorState, node: SyntaxNode, name: string): SyntaxNode | null {
  if (node.name === "Array" && /^\d+$/.test(name)) {
    const items = childrenOf(node).filter((each) => each.name !== "[" && each.name !== "]" && each.name !== ",");
    return items[Number(name)] ?? null;
  }
  if (node.name !== "Object") return null;
  for (const property of node.getChildren("Property")) {
    const key = property.getChild("PropertyName");
    if (key && state.sliceDoc(key.from, key.to) === JSON.stringify(name)) return property.lastChild;
  }
  return null;
}

function childrenOf(node: SyntaxNode): SyntaxNode[] {
  const children: SyntaxNode[] = [];
  for (let child = node.firstChild; child; child = child.nextSibling) children.push(child);
  return children;
}

function firstLineOf({ from, to }: Range, state: EditorState): Range {
  return { from, to: Math.min(to, state.doc.lineAt(from).to) };
}

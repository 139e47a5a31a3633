import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import {
  entryPoints,
  exportsOf,
  type Node,
  openLanguageService,
  type Program,
  type Service,
  ts,
} from "./language-service.ts";

const fixture = join(import.meta.dirname, "hover-fixture.ts");
const sources = join(import.meta.dirname, "..", "..", "src");
/** An editor shows about fifteen lines before it scrolls. */
const MAX_LENGTH = 400;
/** A call repeats the types of its arguments in its own type arguments. */
const MAX_CALL_LENGTH = 900;

/** The text without indentation. */
type Hover = { name: string; text: string; isCall: boolean };

let program: Program;
let hovers: Hover[];

beforeAll(() => {
  const service = openLanguageService([fixture, ...entryPoints().values()]);
  const found = service.getProgram();
  if (!found) throw new Error("The fixture could not be read.");
  program = found;
  hovers = hoversIn(service);
}, 120_000);

describe("what an editor shows for a name", () => {
  it("covers definitions, context, handles and results", () => {
    const names = hovers.map(({ name }) => name);
    expect(names).toEqual(
      expect.arrayContaining(["order", "charge", "ctx", "run", "end", "outputs", "trigger", "step"]),
    );
  });

  it("is short", () => {
    const long = hovers.filter(({ text, isCall }) => text.length > (isCall ? MAX_CALL_LENGTH : MAX_LENGTH));
    expect(long.map(({ name, text }) => `${name}, ${text.length} characters: ${text}`)).toEqual([]);
  });

  it("names only types that can be imported", () => {
    const hidden = hiddenTypes();
    expect(hidden.size).toBeGreaterThan(20);
    const named = ({ text }: Hover) => text.match(/\b[A-Z]\w+/g) ?? [];
    const found = hovers.flatMap((hover) =>
      named(hover)
        .filter((name) => hidden.has(name))
        .map((name) => `${hover.name}: ${name}`),
    );
    expect([...new Set(found)]).toEqual([]);
  });

  it("lists the outputs of a workflow by step", () => {
    const hover = hovers.find(({ text }) => text.startsWith("const order:"));
    expect(hover?.text).toMatch(
      /^const order: WorkflowBuilder<\{ id: string; skus: string\[\]; \}, \{ .*prices: .*approval: \{ by: string; \}; rest: null; .*\}>$/,
    );
  });
});

/** The hover of every declared name and every called method in the fixture. */
function hoversIn(service: Service): Hover[] {
  const found: Hover[] = [];
  const add = (node: Node, isCall: boolean) => {
    const parts = service.getQuickInfoAtPosition(fixture, node.getStart())?.displayParts;
    found.push({ name: node.getText(), text: ts.displayPartsToString(parts).replaceAll(/\s+/g, " "), isCall });
  };
  const visit = (node: Node): void => {
    const isDeclared = ts.isVariableDeclaration(node) || ts.isParameter(node) || ts.isBindingElement(node);
    if (isDeclared && ts.isIdentifier(node.name)) add(node.name, false);
    if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) add(node.expression.name, true);
    ts.forEachChild(node, visit);
  };
  const source = program.getSourceFile(fixture);
  if (source) visit(source);
  return found;
}

/** Types of the SDK that no entry point exports. Objects of the API are all in `schemas`. */
function hiddenTypes(): Set<string> {
  const exported = new Set([...entryPoints().values()].flatMap((file) => [...exportsOf(program, file).keys()]));
  const own = program
    .getSourceFiles()
    .filter(({ fileName }) => fileName.startsWith(sources) && !fileName.includes("/generated/schemas"));
  const declared = own.flatMap(({ statements }) =>
    statements.flatMap((each) =>
      ts.isTypeAliasDeclaration(each) || ts.isInterfaceDeclaration(each) ? [each.name.text] : [],
    ),
  );
  return new Set(declared.filter((name) => !exported.has(name)));
}

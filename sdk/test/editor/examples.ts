import { join } from "node:path";
import { exampleNames } from "./example-names.ts";
import { entryPoints, exportsOf, type Program, type TypeSymbol, ts } from "./language-service.ts";

/** A documented name of an entry point: `@millrace/sdk/node listen`. */
export type Documented = { name: string; comment: string; examples: string[]; entry: string };

/** Every exported name with its comment and examples, as an editor shows them. */
export function documentedNames(program: Program): Documented[] {
  return [...entryPoints()].flatMap(([entry, file]) =>
    [...exportsOf(program, file)].map(([name, symbol]) => ({ name, entry, ...commentOf(program, symbol, file, name) })),
  );
}

function commentOf(program: Program, symbol: TypeSymbol, file: string, name: string) {
  const checker = program.getTypeChecker();
  const examples = symbol
    .getJsDocTags(checker)
    .filter((tag) => tag.name === "example")
    .map(({ text }) => ts.displayPartsToString(text));
  const comment = ts.displayPartsToString(symbol.getDocumentationComment(checker));
  return comment === "" ? commentOnExport(program, file, name) : { comment, examples };
}

/** `export * as name` has its comment on the statement; the compiler assigns it to no symbol. */
function commentOnExport(program: Program, file: string, name: string) {
  const statement = program
    .getSourceFile(file)
    ?.statements.find(
      (each) =>
        ts.isExportDeclaration(each) &&
        each.exportClause &&
        ts.isNamespaceExport(each.exportClause) &&
        each.exportClause.name.text === name,
    );
  const docs = statement ? ts.getJSDocCommentsAndTags(statement) : [];
  const tags = docs.flatMap((each) => (ts.isJSDoc(each) ? [...(each.tags ?? [])] : []));
  return {
    comment: docs.map(({ comment }) => ts.getTextOfJSDocComment(comment) ?? "").join(""),
    examples: tags.map(({ comment }) => ts.getTextOfJSDocComment(comment) ?? ""),
  };
}

/** An example as a module: it may use names of its entry point, of the main one and `exampleNames` without importing them. */
export function exampleModule(text: string, program: Program, entry: string): string {
  const isDefined = (name: string) => new RegExp(`(?:\\b(?:const|function|class|as)|import \\{) ${name}\\b`).test(text);
  const isUsed = (name: string) => new RegExp(`\\b${name}\\b`).test(text) && !isDefined(name);
  const imports = new Map<string, string>();
  // Later entries win: the example's own entry point comes last.
  for (const from of [".", "./node", entry]) {
    for (const [name, symbol] of exportsOf(program, entryPoints().get(from) ?? "")) {
      const kind = isValue(symbol) ? "" : "type ";
      if (isUsed(name)) imports.set(name, `import { ${kind}${name} } from "${join("@millrace/sdk", from)}";`);
    }
  }
  const given = Object.keys(exampleNames).filter((name) => isUsed(name) && !imports.has(name));
  return [
    'import { z } from "zod";',
    ...imports.values(),
    'import { exampleNames } from "./example-names.ts";',
    `const { ${given.join(", ")} } = exampleNames;`,
    text,
    "export {};",
  ].join("\n");
}

function isValue({ flags }: TypeSymbol): boolean {
  return (flags & ts.SymbolFlags.Value) !== 0 && (flags & ts.SymbolFlags.ValueModule) === 0;
}

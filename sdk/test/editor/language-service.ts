import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

type TypeScript = typeof import("../../../server/node_modules/typescript/lib/typescript.js");
/** TypeScript 7 has no language service in JavaScript; the server's OpenAPI generator brings the last version with one. */
export const ts: TypeScript = createRequire(join(import.meta.dirname, "../../../server/package.json"))("typescript");
export type Service = import("../../../server/node_modules/typescript/lib/typescript.js").LanguageService;
export type Program = import("../../../server/node_modules/typescript/lib/typescript.js").Program;
export type Node = import("../../../server/node_modules/typescript/lib/typescript.js").Node;
export type TypeSymbol = import("../../../server/node_modules/typescript/lib/typescript.js").Symbol;

const root = join(import.meta.dirname, "..", "..", "..");

/** What an editor knows about files of this repository, and about texts that are not stored. */
export function openLanguageService(files: readonly string[], texts: ReadonlyMap<string, string> = new Map()): Service {
  const config = JSON.parse(readFileSync(join(root, "tsconfig.json"), "utf8"));
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [], files: [] }, ts.sys, root);
  const read = (name: string) => texts.get(name) ?? ts.sys.readFile(name);
  return ts.createLanguageService({
    useCaseSensitiveFileNames: () => true,
    directoryExists: ts.sys.directoryExists,
    getDirectories: ts.sys.getDirectories,
    realpath: (name) => ts.sys.realpath?.(name) ?? name,
    getCompilationSettings: () => options,
    getScriptFileNames: () => [...files, ...texts.keys()],
    getScriptVersion: () => "1",
    getScriptSnapshot: (name) => {
      const text = read(name);
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
    },
    getCurrentDirectory: () => root,
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    fileExists: (name) => texts.has(name) || ts.sys.fileExists(name),
    readFile: read,
  });
}

/** The exports of every entry point: `.` → its file. */
export function entryPoints(): Map<string, string> {
  const { exports } = JSON.parse(readFileSync(join(root, "sdk", "package.json"), "utf8"));
  return new Map(
    Object.entries(exports as Record<string, string>).map(([name, file]) => [name, join(root, "sdk", file)]),
  );
}

/** The exported names of a file, each with the symbol that it stands for. */
export function exportsOf(program: Program, file: string): Map<string, TypeSymbol> {
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(file);
  const module = source && checker.getSymbolAtLocation(source);
  if (!module) throw new Error(`${file} is not a module`);
  const isAlias = (symbol: TypeSymbol) => (symbol.flags & ts.SymbolFlags.Alias) !== 0;
  return new Map(
    checker
      .getExportsOfModule(module)
      .map((symbol) => [symbol.name, isAlias(symbol) ? checker.getAliasedSymbol(symbol) : symbol]),
  );
}

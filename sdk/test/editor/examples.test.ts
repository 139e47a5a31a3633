import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { ENDPOINTS } from "../../src/generated/endpoints.ts";
import { type Documented, documentedNames, exampleModule } from "./examples.ts";
import { entryPoints, openLanguageService, type Program, ts } from "./language-service.ts";

let program: Program;
let documented: Documented[];

beforeAll(() => {
  const found = openLanguageService([...entryPoints().values()]).getProgram();
  if (!found) throw new Error("The SDK could not be read.");
  program = found;
  documented = documentedNames(program);
}, 120_000);

describe("every exported name of the SDK", () => {
  it("has a comment", () => {
    expect(documented.length).toBeGreaterThan(100);
    expect(documented.filter(({ comment }) => comment === "").map(label)).toEqual([]);
  });

  it("has an example", () => {
    expect(documented.filter(({ examples }) => examples.length === 0).map(label)).toEqual([]);
  });

  it("has an example whose paths exist", () => {
    const paths = Object.values(ENDPOINTS).flatMap((verbs) => Object.values(verbs).map(([, path]) => path));
    const known = paths.map((path) => new RegExp(`^${path.replaceAll(/\{\w+\}/g, "[^/]+")}$`));
    const named = documented.flatMap(({ examples }) => examples.join("\n").match(/(?<=")\/v1\/[^"]+(?=")/g) ?? []);
    expect(named.length).toBeGreaterThan(3);
    expect(named.filter((path) => !known.some((pattern) => pattern.test(path)))).toEqual([]);
  });

  it("has an example that compiles and uses the name", () => {
    const texts = new Map<string, string>();
    for (const { name, entry, examples } of documented) {
      for (const [at, example] of examples.entries()) {
        const file = join(import.meta.dirname, `${entry.slice(2) || "index"}-${name}-${at}.ts`);
        texts.set(file, exampleModule(example, program, entry));
        expect(example, label({ name, entry })).toMatch(new RegExp(`\\b${name}\\b`));
      }
    }
    const service = openLanguageService([], texts);
    const errors = [...texts.keys()].flatMap((file) =>
      [...service.getSyntacticDiagnostics(file), ...service.getSemanticDiagnostics(file)].map(
        ({ messageText }) => `${file}: ${ts.flattenDiagnosticMessageText(messageText, "\n")}\n${texts.get(file)}`,
      ),
    );
    expect(errors).toEqual([]);
  }, 120_000);
});

function label({ name, entry }: Pick<Documented, "name" | "entry">): string {
  return `${join("@millrace/sdk", entry)} ${name}`;
}

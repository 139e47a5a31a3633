import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { transform } from "esbuild";
import { afterAll, describe, expect, it } from "vitest";
import { allCommands } from "../../../cli/src/all-commands.ts";
import { buildProgram } from "../../../cli/src/build-program.ts";
import { allRoutes } from "../../src/api/all-routes.ts";
import { commandsOf, type DocBlock, docBlocks, ROOT } from "./doc-blocks.ts";

const blocks = docBlocks();
const of = (...languages: string[]) => blocks.filter(({ language }) => languages.includes(language));
const nameOf = ({ page, line }: DocBlock) => `${page}:${line}`;

/** Code of other products (`ts other`) and generated types only have to parse. */
const isOther = ({ note }: DocBlock) => /^(other|generated)\b/.test(note);

mkdirSync(join(ROOT, "dist"), { recursive: true });
const folder = mkdtempSync(join(ROOT, "dist", "docs-blocks-")); // inside the repository, so that packages are found
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("code in the documentation", () => {
  it("has a language that is checked or only shown", () => {
    const known = [
      "ts",
      "tsx",
      "js",
      "sh",
      "json",
      "yaml",
      "text",
      "python",
      "sql",
      "prometheus",
      "mermaid",
      "dotenv",
      "",
    ];
    expect(blocks.filter(({ language }) => !known.includes(language)).map(nameOf)).toEqual([]);
  });

  it("TypeScript has the types of the SDK", () => {
    for (const block of of("ts", "tsx").filter((each) => !isOther(each))) writeBlock(block);
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(TSCONFIG));
    const tsc = join(ROOT, "node_modules", "typescript", "bin", "tsc");
    const { stdout } = spawnSync(process.execPath, [tsc, "-p", folder, "--pretty", "false"], { encoding: "utf8" });
    expect(stdout).not.toContain("No inputs were found");
    expect(stdout.replaceAll(/^.*docs-blocks-\w+\//gm, "")).toBe("");
  }, 120_000);

  it("TypeScript and JavaScript parse, also those of other products", async () => {
    for (const block of of("ts", "tsx", "js")) {
      const loader = block.language as "ts" | "tsx" | "js";
      await expect(transform(block.text, { loader, logLevel: "silent" }), nameOf(block)).resolves.toBeTruthy();
    }
  });

  it("JSON parses", () => {
    for (const block of of("json"))
      expect(() => JSON.parse(block.text.replaceAll("…", "")), nameOf(block)).not.toThrow();
  });

  it("shell commands parse", () => {
    for (const block of of("sh")) {
      const { stderr } = spawnSync("sh", ["-n"], { input: block.text, encoding: "utf8" });
      expect([nameOf(block), stderr]).toEqual([nameOf(block), ""]);
    }
  });

  it("millrace commands exist, with their arguments and options", () => {
    const used = of("sh").flatMap((block) => commandsOf(block).map((command) => ({ block, command })));
    for (const { block, command } of used) {
      const [, text] =
        /(?:^|\s)(?:npx (?:--yes )?)?millrace (?!@)(.*)$/.exec(command.replace(/^(\w+=\S+ )+/, "")) ?? [];
      if (text === undefined || /^(install|npm|docker|helm|kubectl|systemctl)/.test(command)) continue;
      expect([nameOf(block), refusalOf(text)]).toEqual([nameOf(block), ""]);
    }
  });

  it("curl calls routes that exist", () => {
    for (const block of of("sh")) {
      for (const command of commandsOf(block).filter((each) => each.startsWith("curl"))) {
        const [, path] = /(?:localhost:8787|MILLRACE_BASE_URL)(\/[^\s"?]*)/.exec(command) ?? [];
        // The demo's own routes are not in the table; `readme.test.ts` calls them.
        if (path === undefined || path.startsWith("/demo")) continue;
        const method = / -X (\w+)/.exec(command)?.[1] ?? (/ -d /.test(command) ? "POST" : "GET");
        expect([nameOf(block), `${method} ${path}`, isRoute(method, path)]).toEqual([
          nameOf(block),
          `${method} ${path}`,
          true,
        ]);
      }
    }
  });
});

function writeBlock(block: DocBlock): void {
  const name = /^[\w-]+\.tsx?$/.exec(block.note)?.[0] ?? `line-${block.line}.${block.language}`;
  const file = join(folder, block.page.replace(/\.md$/, ""), name);
  mkdirSync(dirname(file), { recursive: true });
  // Each block is a module of its own, so that pages and blocks do not share names.
  writeFileSync(file, `${block.text}\nexport {};\n`);
}

const TSCONFIG = {
  extends: join(ROOT, "tsconfig.json"),
  compilerOptions: {
    lib: ["ES2023", "ES2024.String", "DOM", "DOM.Iterable"],
    experimentalDecorators: true,
    erasableSyntaxOnly: false,
    verbatimModuleSyntax: false,
    exactOptionalPropertyTypes: false,
    jsx: "react-jsx",
  },
  include: [".", join(ROOT, "server/test/docs/ambient.d.ts")],
  exclude: [],
};

/** What the command line says about a command that it does not accept. */
function refusalOf(command: string): string {
  const said: string[] = [];
  const program = buildProgram(allCommands, () => {}, { out: () => {}, err: (text) => void said.push(text) });
  program.exitOverride();
  try {
    program.parse(wordsOf(command), { from: "user" });
  } catch (error) {
    if (!/help|version/.test((error as { code?: string }).code ?? "")) said.push(String(error));
  }
  return said.join("");
}

/** Splits as a shell does, without expanding anything; stops at a pipe or redirection. */
function wordsOf(command: string): string[] {
  const [own = ""] = command.split(/ (?:\||>>?|<) |;| &&|\)/);
  return [...own.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(
    ([, single, double, bare]) => single ?? double ?? bare ?? "",
  );
}

function isRoute(method: string, path: string): boolean {
  return allRoutes.some(
    (route) => route.method === method && new RegExp(`^${route.path.replaceAll(/\{\w+\}/g, "[^/]+")}$`).test(path),
  );
}

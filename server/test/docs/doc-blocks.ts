import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

export const ROOT = resolve(import.meta.dirname, "../../..");

/** A fenced code block of a page. ```` ```ts main.ts ```` has the language `ts` and the note `main.ts`. */
export type DocBlock = { page: string; line: number; language: string; note: string; text: string };

/** Pages for users. Test results and decisions have figures and fragments of SQL, and error pages have no code. */
const PAGES = /^(index|agents|(start|guides|frameworks|reference|operate|migrate)\/.+)\.md$/;

const READMES = ["README.md", "deploy/README.md", "create-app/README.md", "examples/python-worker/README.md"];

/** All code blocks of the READMEs and the pages for users, in order. */
export function docBlocks(): DocBlock[] {
  const files = readdirSync(join(ROOT, "docs"), { recursive: true, encoding: "utf8" });
  const pages = files.filter((file) => PAGES.test(file)).map((file) => `docs/${file}`);
  return [...READMES, ...pages].flatMap(blocksOf);
}

export function blocksOf(page: string): DocBlock[] {
  const blocks: DocBlock[] = [];
  let open: DocBlock | undefined;
  for (const [index, line] of readFileSync(join(ROOT, page), "utf8").split("\n").entries()) {
    const fence = /^ *```(\w*) ?(.*)$/.exec(line);
    if (fence && open) {
      blocks.push(open);
      open = undefined;
    } else if (fence) open = { page, line: index + 1, language: fence[1] ?? "", note: fence[2] ?? "", text: "" };
    else if (open) open.text += `${line}\n`;
  }
  return blocks;
}

/** The commands of a shell block; a line that ends with a backslash continues on the next. */
export function commandsOf({ text }: DocBlock): string[] {
  const lines = text.replaceAll("\\\n", " ").split("\n");
  return lines.map((line) => line.replace(/\s+#.*$/, "").trim()).filter((line) => line !== "" && !line.startsWith("#"));
}

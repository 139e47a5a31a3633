import { readFileSync } from "node:fs";

/** A fenced block of code: where it begins, in what, and what it says. */
export type Block = { line: number; language: string; text: string; heading: string };

/** The blocks of a page of Markdown, in order. */
export function readBlocks(file: string): Block[] {
  const blocks: Block[] = [];
  let open: Block | undefined;
  let heading = "";
  for (const [index, line] of readFileSync(file, "utf8").split("\n").entries()) {
    const fence = /^```(\w*)$/.exec(line);
    if (fence && open) {
      blocks.push(open);
      open = undefined;
    } else if (fence) open = { line: index + 1, language: fence[1] ?? "", text: "", heading };
    else if (open) open.text += `${line}\n`;
    else if (line.startsWith("## ")) heading = line.slice(3);
  }
  return blocks;
}

/** The commands of a block of shell; a line that ends in a backslash goes on in the next. */
export function commandsOf({ text }: Block): string[] {
  return text
    .replaceAll("\\\n", " ")
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

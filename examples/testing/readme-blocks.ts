import { readFileSync } from "node:fs";

/** A fenced code block: its position, heading, language and text. */
export type Block = { line: number; language: string; text: string; heading: string };

/** The code blocks of a Markdown page, in order. */
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

/** The commands of a shell block; a line that ends with a backslash continues on the next. */
export function commandsOf({ text }: Block): string[] {
  return text
    .replaceAll("\\\n", " ")
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

/** Rows of cells as a table of Markdown; the first row is its head. */
export function tableOf([head, ...rows]) {
  return [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

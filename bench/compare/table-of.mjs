/** Formats rows of cells as a Markdown table; the first row is the header. */
export function tableOf([head, ...rows]) {
  return [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

/** A wrapped line would break the count of lines that are drawn again. Color codes have no width. */
export function cutLine(text: string, columns: number): string {
  let room = columns - 1;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: matches the escape character of color codes
  const parts = text.split(/(\x1b\[\d+m)/);
  const kept = parts.map((part, nth) => {
    if (nth % 2 === 1) return part;
    const shown = part.slice(0, Math.max(0, room));
    room -= part.length;
    return shown;
  });
  return room >= 0 ? text : kept.join("");
}

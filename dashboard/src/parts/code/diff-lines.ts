export type DiffLine = { kind: "same" | "added" | "removed"; text: string };

const MAX_LINES = 1_500;

/** Line diff by longest common subsequence. Ignores trailing commas, which JSON adds and removes. */
export function diffLines(before: string, after: string): DiffLine[] {
  const [a, b] = [before.split("\n"), after.split("\n")];
  if (a.length > MAX_LINES || b.length > MAX_LINES) return replaced(a, b);
  const common = lengthsOf(a, b);
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < a.length && j < b.length) {
    const [left = "", right = ""] = [a[i], b[j]];
    if (isSame(left, right)) {
      lines.push({ kind: "same", text: right });
      i += 1;
      j += 1;
    } else if (at(common, i + 1, j) >= at(common, i, j + 1)) {
      lines.push({ kind: "removed", text: left });
      i += 1;
    } else {
      lines.push({ kind: "added", text: right });
      j += 1;
    }
  }
  return [...lines, ...replaced(a.slice(i), b.slice(j))];
}

function replaced(a: string[], b: string[]): DiffLine[] {
  return [
    ...a.map((text): DiffLine => ({ kind: "removed", text })),
    ...b.map((text): DiffLine => ({ kind: "added", text })),
  ];
}

function lengthsOf(a: string[], b: string[]): Uint16Array[] {
  const rows = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      const length = isSame(a[i], b[j]) ? at(rows, i + 1, j + 1) + 1 : Math.max(at(rows, i + 1, j), at(rows, i, j + 1));
      (rows[i] as Uint16Array)[j] = length;
    }
  }
  return rows;
}

function isSame(left = "", right = ""): boolean {
  return left === right || left.replace(/,$/, "") === right.replace(/,$/, "");
}

function at(rows: Uint16Array[], i: number, j: number): number {
  return rows[i]?.[j] ?? 0;
}

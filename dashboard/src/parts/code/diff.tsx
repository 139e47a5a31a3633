import { useMemo, useState } from "react";
import { cx } from "../class-names.ts";
import { plural } from "../format.ts";
import { type DiffLine, diffLines } from "./diff-lines.ts";

type Props = { before: unknown; after: unknown; labels?: [string, string] };

const AROUND = 3;
const SIGNS = { same: " ", added: "+", removed: "−" };
const LOOKS = {
  same: "text-ink-2",
  added: "bg-success/12 text-ink",
  removed: "bg-failed/12 text-ink",
};

/** Unified diff of two texts or JSON values, with a few lines of context. */
export function Diff({ before, after, labels = ["Before", "After"] }: Props) {
  const [isWhole, setWhole] = useState(false);
  const lines = useMemo(() => diffLines(textOf(before), textOf(after)), [before, after]);
  const changed = lines.filter(({ kind }) => kind !== "same").length;
  const shown = isWhole ? lines.map((line, nth) => ({ line, nth })) : nearChanges(lines);
  return (
    <figure className="m-0 overflow-hidden rounded-sm border">
      <figcaption className="flex items-center gap-3 border-b bg-surface px-3 py-1.5 text-ink-2 text-xs">
        <span>− {labels[0]}</span>
        <span>+ {labels[1]}</span>
        <span className="ml-auto">{changed === 0 ? "No difference" : plural(changed, "changed line")}</span>
        <button type="button" className="text-accent hover:underline" onClick={() => setWhole(!isWhole)}>
          {isWhole ? "Changes only" : "Show all lines"}
        </button>
      </figcaption>
      <pre tabIndex={0} className="overflow-x-auto py-2 font-mono text-xs leading-5 -outline-offset-2">
        {shown.map(({ line, nth }, place) => (
          <div key={nth}>
            {place > 0 && nth !== (shown[place - 1]?.nth ?? 0) + 1 && (
              <div className="bg-surface px-3 text-ink-3">⋯</div>
            )}
            <div className={cx("px-3", LOOKS[line.kind])}>
              <span className="mr-2 inline-block w-2 select-none">{SIGNS[line.kind]}</span>
              {line.kind !== "same" && <span className="sr-only">{line.kind}: </span>}
              {line.text}
            </div>
          </div>
        ))}
      </pre>
    </figure>
  );
}

function nearChanges(lines: DiffLine[]): { line: DiffLine; nth: number }[] {
  const near = new Set<number>();
  lines.forEach(({ kind }, nth) => {
    if (kind === "same") return;
    for (let place = nth - AROUND; place <= nth + AROUND; place++) near.add(place);
  });
  return lines.flatMap((line, nth) => (near.has(nth) ? [{ line, nth }] : []));
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? "");
}

import { parseQuery } from "@millrace/contract/query-language/parse-query";
import { readTokens } from "@millrace/contract/query-language/tokens";
import { X } from "lucide-react";
import { cx } from "../class-names.ts";

/** Removable conditions of a query. */
export function FilterChips({ query, onChange }: { query: string; onChange: (query: string) => void }) {
  const tokens = readTokens(query, () => {});
  const remove = (nth: number) =>
    onChange(
      tokens
        .filter((_, place) => place !== nth)
        .map(({ text }) => text)
        .join(" "),
    );
  return tokens.map(({ text, start, end }, nth) => {
    const issue = issuesOf(query).find((each) => each.start < end && start < each.end);
    return (
      <span
        key={start}
        title={issue?.message ?? text}
        className={cx(
          "inline-flex h-6 max-w-[min(100%,360px)] items-center rounded-xs bg-hover pl-2 font-mono text-xs",
          issue && "underline decoration-failed decoration-wavy",
        )}
      >
        <span className="truncate">{text}</span>
        <button
          type="button"
          aria-label={`Remove ${text}`}
          className="grid size-6 flex-none place-items-center text-ink-3 -outline-offset-2 hover:text-ink"
          onClick={() => remove(nth)}
        >
          <X size={12} aria-hidden="true" />
        </button>
      </span>
    );
  });
}

export function issuesOf(query: string) {
  const parsed = parseQuery(query);
  return parsed.ok ? [] : parsed.issues;
}

export function withoutLast(query: string): string {
  return readTokens(query, () => {})
    .slice(0, -1)
    .map(({ text }) => text)
    .join(" ");
}

import { Badge } from "./badge.tsx";

/** Tags as `key` or `key:value`, as many as there is room for. */
export function TagList({ tags, most = 2 }: { tags: Record<string, string>; most?: number }) {
  const names = Object.entries(tags).map(([key, value]) => (value === "true" ? key : `${key}:${value}`));
  if (names.length === 0) return <span className="text-ink-3">–</span>;
  return (
    <span className="flex min-w-0 items-center gap-1">
      {names.slice(0, most).map((name, nth) => (
        // The first is whole, the others take what is left: one tag that can be read says more than two that cannot.
        <span key={name} className={nth === 0 ? "flex max-w-full flex-none" : "flex min-w-0"}>
          <Badge title={name}>{name}</Badge>
        </span>
      ))}
      {names.length > most && (
        <span className="flex-none text-ink-3 text-xs" title={names.slice(most).join(", ")}>
          +{names.length - most}
        </span>
      )}
    </span>
  );
}

import { Badge } from "./badge.tsx";

/** Tags as `key` or `key:value`, as many as there is room for. */
export function TagList({ tags, most = 2 }: { tags: Record<string, string>; most?: number }) {
  const names = Object.entries(tags).map(([key, value]) => (value === "true" ? key : `${key}:${value}`));
  if (names.length === 0) return <span className="text-ink-3">–</span>;
  return (
    <span className="flex min-w-0 items-center gap-1">
      {names.slice(0, most).map((name) => (
        <Badge key={name} title={name}>
          {name}
        </Badge>
      ))}
      {names.length > most && (
        <span className="flex-none text-ink-3 text-xs" title={names.slice(most).join(", ")}>
          +{names.length - most}
        </span>
      )}
    </span>
  );
}

import { Badge } from "./state/badge.tsx";

type Props = { tags: Record<string, string> };

/** All tags as `key` or `key:value`, wrapped. */
export function TagList({ tags }: Props) {
  return (
    <span className="flex min-w-0 flex-wrap items-center gap-1">
      {namesOf(tags).map((name) => (
        <Badge key={name} title={name}>
          {name}
        </Badge>
      ))}
    </span>
  );
}

/** Tags on one line of a table row; those that do not fit are hidden. */
export function TagLine({ tags }: Props) {
  const names = namesOf(tags);
  if (names.length === 0) return <span className="text-ink-3">–</span>;
  return (
    <span className="flex h-5 min-w-0 flex-wrap items-center gap-1 overflow-hidden" title={names.join(", ")}>
      {names.map((name) => (
        <Badge key={name}>{name}</Badge>
      ))}
    </span>
  );
}

function namesOf(tags: Props["tags"]): string[] {
  return Object.entries(tags).map(([key, value]) => (value === "true" ? key : `${key}:${value}`));
}

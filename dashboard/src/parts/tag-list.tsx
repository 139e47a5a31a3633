import { Badge } from "./badge.tsx";

type Props = { tags: Record<string, string> };

/** All tags as `key` or `key:value`, on as many lines as they need. */
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

/** In a row of a list: those there is room for. What does not fit whole falls to a line that is cut off. */
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

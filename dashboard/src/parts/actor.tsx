import { Id } from "./id.tsx";

type Props = { name: string; id: string | null | undefined };

/** Name and short id of an actor, because two API keys can share a name; full id on hover. */
export function Actor({ name, id }: Props) {
  if (!id) return name;
  return (
    <span className="inline-flex min-w-0 max-w-full items-baseline gap-1.5">
      <span className="truncate">{name}</span>
      <Id value={id} copy={false} className="flex-none text-ink-3" />
    </span>
  );
}

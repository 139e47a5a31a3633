import { Id } from "./id.tsx";

type Props = { name: string; id: string | null | undefined };

/** Who did something. The id stands behind the name, since two API keys may share one; whole on hover. */
export function Actor({ name, id }: Props) {
  if (!id) return name;
  return (
    <span className="inline-flex min-w-0 max-w-full items-baseline gap-1.5">
      <span className="truncate">{name}</span>
      <Id value={id} copy={false} className="flex-none text-ink-3" />
    </span>
  );
}

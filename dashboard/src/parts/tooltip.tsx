import { Tooltip as Radix } from "radix-ui";
import type { ReactNode } from "react";
import { KeyHint } from "./key-hint.tsx";

type Props = { label: ReactNode; keys?: string; side?: "top" | "right" | "bottom" | "left"; children: ReactNode };

/** A word about what is under the pointer or has the focus. It never holds what can be learnt nowhere else. */
export function Tooltip({ label, keys, side = "top", children }: Props) {
  return (
    <Radix.Root>
      <Radix.Trigger asChild>{children}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          side={side}
          sideOffset={6}
          collisionPadding={8}
          className="floating z-50 flex max-w-80 animate-appear items-center gap-2 px-2 py-1 text-xs text-ink"
        >
          {label}
          {keys && <KeyHint keys={keys} />}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

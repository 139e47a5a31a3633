import { Tooltip as Radix } from "radix-ui";
import { type ReactNode, useState } from "react";
import { KeyHint } from "./key-hint.tsx";

/** `label`: undefined for no tooltip. The child element stays the same and keeps its focus. */
type Props = {
  label: ReactNode | undefined;
  keys?: string;
  side?: "top" | "right" | "bottom" | "left";
  children: ReactNode;
};

/** Tooltip on hover and focus. Never the only source of information. */
export function Tooltip({ label, keys, side = "top", children }: Props) {
  const [isOpen, setOpen] = useState(false);
  return (
    <Radix.Root open={isOpen && label !== undefined} onOpenChange={setOpen}>
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

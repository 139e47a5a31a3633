import { Check } from "lucide-react";
import { DropdownMenu as Radix } from "radix-ui";
import type { ReactNode } from "react";
import { cx } from "../class-names.ts";

export type MenuItem =
  | {
      kind?: "item";
      label: ReactNode;
      icon?: ReactNode;
      hint?: ReactNode;
      onSelect: () => void;
      disabledReason?: string | undefined;
      danger?: boolean;
      checked?: boolean;
      keepOpen?: boolean;
    }
  | { kind: "line" }
  | { kind: "heading"; label: string };

type Props = { trigger: ReactNode; items: MenuItem[]; label: string; align?: "start" | "end"; width?: number };

/** A menu below a button. Not modal: Radix's scroll lock adds a style element, which the CSP forbids. */
export function Menu({ trigger, items, label, align = "start", width = 220 }: Props) {
  return (
    <Radix.Root modal={false}>
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          aria-label={label}
          align={align}
          sideOffset={4}
          collisionPadding={8}
          className="floating z-50 max-h-[min(480px,var(--radix-dropdown-menu-content-available-height))] animate-appear overflow-y-auto p-1"
          style={{ minWidth: width }}
        >
          {items.map((item, nth) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the order of menu items is fixed
            <Entry key={nth} item={item} />
          ))}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

function Entry({ item }: { item: MenuItem }) {
  if (item.kind === "line") return <Radix.Separator className="my-1 h-px bg-border" />;
  if (item.kind === "heading") {
    return <Radix.Label className="px-2 pt-1.5 pb-1 font-medium text-ink-3 text-xs">{item.label}</Radix.Label>;
  }
  const { label, icon, hint, onSelect, disabledReason, danger, checked, keepOpen } = item;
  return (
    <Radix.Item
      aria-disabled={disabledReason !== undefined || undefined}
      title={disabledReason}
      onSelect={(event) => {
        if (keepOpen || disabledReason !== undefined) event.preventDefault();
        if (disabledReason === undefined) onSelect();
      }}
      className={cx(
        "flex h-8 cursor-pointer items-center gap-2 rounded-sm px-2 outline-none data-[highlighted]:bg-hover",
        danger ? "text-failed-ink" : "text-ink",
        disabledReason !== undefined && "text-ink-3",
      )}
    >
      {icon && <span className="grid w-4 place-items-center text-ink-3">{icon}</span>}
      <span className="min-w-0 flex-1 truncate">{label}</span>
      {hint && <span className="text-ink-3 text-xs">{hint}</span>}
      {checked !== undefined && (
        <span className="grid w-4 place-items-center" role="img" aria-label={checked ? "selected" : "not selected"}>
          {checked && <Check size={14} className="text-accent" aria-hidden="true" />}
        </span>
      )}
    </Radix.Item>
  );
}

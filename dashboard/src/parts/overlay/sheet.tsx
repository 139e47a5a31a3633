import { X } from "lucide-react";
import { Dialog as Radix } from "radix-ui";
import type { ReactNode } from "react";
import { cx } from "../class-names.ts";
import { IconButton } from "../form/icon-button.tsx";

type Props = {
  open: boolean;
  onClose: () => void;
  title: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
  side?: "left" | "right";
  width?: string;
  /** False: the page behind stays usable. */
  modal?: boolean;
};

/** A side panel: a preview, code, or the sidebar on a phone. */
export function Sheet({
  open,
  onClose,
  title,
  actions,
  children,
  side = "right",
  width = "480px",
  modal = true,
}: Props) {
  return (
    <Radix.Root open={open} modal={modal} onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Radix.Portal>
        {modal && <div className="fixed inset-0 z-30 bg-scrim" aria-hidden="true" />}
        <Radix.Content
          aria-describedby={undefined}
          onOpenAutoFocus={focusPanel}
          {...(!modal && {
            onInteractOutside: (event: Event) => event.preventDefault(),
            onOpenAutoFocus: (event: Event) => event.preventDefault(),
            onCloseAutoFocus: (event: Event) => event.preventDefault(),
          })}
          className={cx(
            "fixed inset-y-0 z-30 flex outline-none max-w-full animate-slide-in flex-col bg-bg shadow-float",
            side === "right" ? "right-0 border-l" : "left-0 border-r",
          )}
          style={{ width }}
        >
          <header className="flex h-12 flex-none items-center gap-2 border-b pr-3 pl-4">
            <Radix.Title className="min-w-0 flex-1 truncate font-semibold text-base">{title}</Radix.Title>
            {actions}
            <IconButton label="Close panel" keys="esc" icon={<X size={16} />} onClick={onClose} />
          </header>
          <div className="min-h-0 flex-1 overflow-y-auto">{children}</div>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

/** Not the close button, whose tooltip would cover the content. */
function focusPanel(event: Event): void {
  event.preventDefault();
  (event.currentTarget as HTMLElement).focus();
}

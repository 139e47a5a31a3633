import { X } from "lucide-react";
import { Dialog as Radix } from "radix-ui";
import type { ReactNode } from "react";
import { cx } from "../class-names.ts";
import { IconButton } from "../form/icon-button.tsx";

type Props = {
  open: boolean;
  onClose: () => void;
  title: string;
  description?: ReactNode;
  children: ReactNode;
  /** Buttons; the primary one last. */
  footer?: ReactNode;
  width?: "narrow" | "normal" | "wide";
  /** Ignores Escape and clicks outside. */
  firm?: boolean;
};

const WIDTHS = { narrow: "max-w-[440px]", normal: "max-w-[560px]", wide: "max-w-[860px]" };

/** A modal dialog with its own overlay: Radix's adds a style element, which the Content Security Policy forbids. */
export function Dialog({ open, onClose, title, description, children, footer, width = "normal", firm }: Props) {
  const hold = firm ? (event: Event) => event.preventDefault() : undefined;
  const keepOpenForCompletions = (event: Event) => {
    if (document.querySelector("[data-editor] [role=listbox]")) event.preventDefault();
  };
  return (
    <Radix.Root open={open} onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Radix.Portal>
        <div className="fixed inset-0 z-40 bg-scrim" aria-hidden="true" />
        <Radix.Content
          {...(description ? {} : { "aria-describedby": undefined })}
          onOpenAutoFocus={focusFirst}
          onEscapeKeyDown={keepOpenForCompletions}
          {...(hold && { onEscapeKeyDown: hold, onPointerDownOutside: hold, onInteractOutside: hold })}
          className={cx(
            "floating fixed top-[12vh] outline-none left-1/2 z-40 flex max-h-[76vh] w-[calc(100vw-24px)] -translate-x-1/2 animate-appear flex-col",
            WIDTHS[width],
          )}
        >
          <header className={cx("flex gap-3 border-b px-5 py-3", description ? "items-start" : "items-center")}>
            <div className="min-w-0 flex-1">
              <Radix.Title className="font-semibold text-lg">{title}</Radix.Title>
              {description && <Radix.Description className="mt-0.5 text-ink-2">{description}</Radix.Description>}
            </div>
            {!firm && <IconButton label="Close" icon={<X size={16} />} onClick={onClose} className="-mr-2" />}
          </header>
          <div className="flex min-h-0 flex-col gap-4 overflow-y-auto px-5 py-4 [&>*]:flex-none">{children}</div>
          {footer && <footer className="flex flex-wrap justify-end gap-2 border-t px-5 py-3">{footer}</footer>}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

/** Focuses the first field, otherwise the dialog itself. On touch screens it avoids opening the keyboard. */
function focusFirst(event: Event): void {
  const content = event.currentTarget as HTMLElement;
  const field = content.querySelector<HTMLElement>("input:not([type=radio], [type=checkbox]), textarea, select");
  event.preventDefault();
  (matchMedia("(pointer: fine)").matches ? (field ?? content) : content).focus();
}

import { X } from "lucide-react";
import { type KeyboardEvent, type PointerEvent, type ReactNode, useState } from "react";
import { IconButton } from "../form/icon-button.tsx";
import { changeSettings, useSettings } from "../settings.ts";
import { useMedia } from "../use-media.ts";
import { Sheet } from "./sheet.tsx";
import { useShortcut } from "./use-shortcut.ts";

type Props = {
  open: boolean;
  onClose: () => void;
  title: ReactNode;
  label: string;
  actions?: ReactNode;
  children: ReactNode;
};

const DOCKED = "(width >= 64rem)";
const [MIN, MAX, STEP] = [360, 800, 24];

/** Details next to the main content, or over it on narrow screens. Its width is persisted. */
export function Inspector({ open, onClose, title, label, actions, children }: Props) {
  const isDocked = useMedia(DOCKED);
  useShortcut("esc", onClose, open && isDocked);
  if (!isDocked) {
    return (
      <Sheet open={open} onClose={onClose} title={title} actions={actions} width="min(480px, 100vw)">
        {children}
      </Sheet>
    );
  }
  if (!open) return null;
  return <Panel {...{ onClose, title, label, actions, children }} />;
}

function Panel({ onClose, title, label, actions, children }: Omit<Props, "open">) {
  const { inspector_px } = useSettings();
  const [width, setWidth] = useState(inspector_px);
  const change = (next: number) => {
    const within = Math.min(MAX, Math.max(MIN, next));
    setWidth(within);
    changeSettings({ inspector_px: within });
  };
  const drag = (event: PointerEvent<HTMLElement>) => {
    if (event.buttons === 1) change(innerWidth - event.clientX);
  };
  const press = (event: KeyboardEvent) => {
    if (event.key === "ArrowLeft") change(width + STEP);
    if (event.key === "ArrowRight") change(width - STEP);
  };
  return (
    <aside aria-label={label} className="relative flex min-h-0 flex-none flex-col border-l bg-bg" style={{ width }}>
      {/* biome-ignore lint/a11y/useSemanticElements: an hr cannot be moved */}
      <div
        role="separator"
        tabIndex={0}
        aria-label="Panel width"
        aria-orientation="vertical"
        aria-valuemin={MIN}
        aria-valuemax={MAX}
        aria-valuenow={width}
        onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
        onPointerMove={drag}
        onKeyDown={press}
        className="absolute inset-y-0 -left-1 z-10 w-2 cursor-col-resize hover:bg-accent/30"
      />
      <header className="flex h-12 flex-none items-center gap-1 border-b pr-2 pl-4">
        <h2 className="min-w-0 flex-1 truncate font-semibold text-base">{title}</h2>
        {actions}
        <IconButton label="Close panel" keys="esc" icon={<X size={16} />} onClick={onClose} />
      </header>
      <div className="min-h-0 flex-1 overflow-y-auto">{children}</div>
    </aside>
  );
}

const IS_MAC = typeof navigator !== "undefined" && /Mac|iP(hone|ad)/.test(navigator.platform);

/** Keyboard keys: `mod+k`, `g r`, `?`. Hidden on touch screens. */
export function KeyHint({ keys }: { keys: string }) {
  return (
    <span className="inline-flex flex-none gap-0.5 pointer-coarse:hidden" aria-hidden="true">
      {keys.split(/[ +]/).map((key) => (
        <kbd
          key={key}
          className="inline-grid h-[18px] min-w-[18px] place-items-center rounded-xs border bg-surface px-1 font-sans text-xs text-ink-2 leading-none"
        >
          {written(key)}
        </kbd>
      ))}
    </span>
  );
}

function written(key: string): string {
  if (key === "mod") return IS_MAC ? "⌘" : "Ctrl";
  if (key === "enter") return "↵";
  return key.length === 1 ? key.toUpperCase() : `${key.slice(0, 1).toUpperCase()}${key.slice(1)}`;
}

import { Search } from "lucide-react";
import { useRef } from "react";
import { cx } from "../class-names.ts";
import { useShortcut } from "../overlay/use-shortcut.ts";

type Props = {
  label: string;
  placeholder?: string;
  value: string;
  onChange: (text: string) => void;
  mono?: boolean;
  isWide?: boolean;
};

/** Filters a list while typing. */
export function SearchField({ label, placeholder = label, value, onChange, mono, isWide }: Props) {
  const field = useRef<HTMLInputElement>(null);
  useShortcut("/", () => field.current?.focus());
  return (
    <div className={cx("relative min-w-40 flex-1", !isWide && "max-w-96")}>
      <Search size={14} className="-translate-y-1/2 absolute top-1/2 left-2.5 text-ink-3" aria-hidden="true" />
      <input
        ref={field}
        type="search"
        aria-label={label}
        placeholder={placeholder}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        className={cx("field w-full pl-8", mono && "font-mono")}
      />
    </div>
  );
}

import { Search } from "lucide-react";
import { cx } from "../class-names.ts";

type Props = { label: string; placeholder?: string; value: string; onChange: (text: string) => void; mono?: boolean };

/** Filters a list while typing. */
export function SearchField({ label, placeholder = label, value, onChange, mono }: Props) {
  return (
    <div className="relative min-w-40 max-w-96 flex-1">
      <Search size={14} className="-translate-y-1/2 absolute top-1/2 left-2.5 text-ink-3" aria-hidden="true" />
      <input
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

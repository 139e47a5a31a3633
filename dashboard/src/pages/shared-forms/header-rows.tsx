import { Plus, X } from "lucide-react";
import { Button } from "../../parts/form/button.tsx";
import { IconButton } from "../../parts/form/icon-button.tsx";

export type Header = { key: number; name: string; value: string };

/** HTTP headers to edit. Stored values are not shown; `[redacted]` keeps them. */
export function HeaderRows({ headers, onChange }: { headers: readonly Header[]; onChange: (all: Header[]) => void }) {
  const set = (key: number, change: Partial<Header>) =>
    onChange(headers.map((each) => (each.key === key ? { ...each, ...change } : each)));
  const next = Math.max(-1, ...headers.map(({ key }) => key)) + 1;
  return (
    <div className="flex flex-col gap-2">
      <span className="font-medium text-xs">Headers</span>
      {headers.map(({ key, name, value }) => (
        <div key={key} className="flex items-center gap-1.5">
          <input
            aria-label="Header name"
            className="field min-w-0 flex-1 font-mono text-xs"
            placeholder="X-Team"
            autoComplete="off"
            spellCheck={false}
            required
            value={name}
            onChange={(event) => set(key, { name: event.target.value })}
          />
          <input
            aria-label={`Value of ${name || "the new header"}`}
            className="field min-w-0 flex-[2] font-mono text-xs"
            autoComplete="off"
            spellCheck={false}
            value={value}
            onChange={(event) => set(key, { value: event.target.value })}
          />
          <IconButton
            size="small"
            label={`Remove ${name || "the new header"}`}
            icon={<X size={13} />}
            onClick={() => onChange(headers.filter((each) => each.key !== key))}
          />
        </div>
      ))}
      <div>
        <Button
          size="small"
          icon={<Plus size={13} />}
          onClick={() => onChange([...headers, { key: next, name: "", value: "" }])}
        >
          Add header
        </Button>
      </div>
    </div>
  );
}

export function headersOf(stored: Record<string, string>): Header[] {
  return Object.entries(stored).map(([name, value], key) => ({ key, name, value }));
}

export function recordOf(headers: readonly Header[]): Record<string, string> {
  return Object.fromEntries(headers.map(({ name, value }) => [name.trim(), value]));
}

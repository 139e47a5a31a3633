import { useEffect, useRef, useState } from "react";
import { Button } from "../../parts/form/button.tsx";
import { useShortcut } from "../../parts/overlay/use-shortcut.ts";

const FIELDS = [
  { name: "actor", label: "Actor", placeholder: "Name or id" },
  { name: "action", label: "Action", placeholder: "job.*" },
  { name: "resource_type", label: "Object", placeholder: "job" },
] as const;

type Search = Record<string, string | undefined>;

/** Applied on Enter or when the field loses focus. */
export function AuditFilter({ search, onChange }: { search: Search; onChange: (changes: Search) => void }) {
  return (
    <>
      {FIELDS.map(({ name, label, placeholder }, nth) => (
        <Field
          key={name}
          isFirst={nth === 0}
          label={label}
          placeholder={placeholder}
          value={search[name] ?? ""}
          onChange={(value) => onChange({ [name]: value || undefined })}
        />
      ))}
      {(["resource_id", "request_id"] as const).map((name) =>
        search[name] ? (
          <Button key={name} size="small" onClick={() => onChange({ [name]: undefined })}>
            <span className="max-w-48 truncate font-mono">{search[name]}</span>
            <span aria-hidden="true">×</span>
            <span className="sr-only">Remove filter</span>
          </Button>
        ) : null,
      )}
    </>
  );
}

function Field({
  label,
  placeholder,
  value,
  isFirst,
  onChange,
}: {
  label: string;
  placeholder: string;
  value: string;
  isFirst: boolean;
  onChange: (value: string) => void;
}) {
  const [draft, setDraft] = useState(value);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => setDraft(value), [value]);
  useShortcut("/", () => input.current?.focus(), isFirst);
  const commit = () => draft.trim() !== value && onChange(draft.trim());
  return (
    <input
      ref={input}
      aria-label={label}
      className="field w-36 max-sm:w-[calc(50%-4px)]"
      placeholder={`${label}: ${placeholder}`}
      value={draft}
      onChange={(event) => setDraft(event.target.value)}
      onBlur={commit}
      onKeyDown={(event) => event.key === "Enter" && commit()}
    />
  );
}

import { type ReactNode, useId } from "react";

type Props = { label: string; hint?: ReactNode; checked: boolean; onChange: (checked: boolean) => void };

/** A checkbox with its label, and a hint below it. */
export function CheckField({ label, hint, checked, onChange }: Props) {
  const id = useId();
  return (
    <label htmlFor={id} className="flex items-start gap-2">
      <input
        id={id}
        type="checkbox"
        className="mt-0.5 size-4 flex-none"
        checked={checked}
        onChange={(event) => onChange(event.target.checked)}
      />
      <span>
        {label}
        {hint && <span className="block text-ink-2 text-xs">{hint}</span>}
      </span>
    </label>
  );
}

import type { ReactNode } from "react";
import { FormField } from "./form-field.tsx";

type Props = {
  label: string;
  hint?: ReactNode;
  rows?: number;
  maxLength: number;
  placeholder?: string;
  value: string;
  onChange: (text: string) => void;
};

/** Several lines of prose, such as a comment. Anything with a syntax belongs in the code editor. */
export function ProseField({ label, hint, rows = 2, onChange, ...field }: Props) {
  return (
    <FormField label={label} hint={hint}>
      {(ids) => (
        <textarea
          {...ids}
          {...field}
          rows={rows}
          className="field resize-y"
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </FormField>
  );
}

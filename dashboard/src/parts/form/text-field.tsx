import type { InputHTMLAttributes, ReactNode } from "react";
import { cx } from "../class-names.ts";
import { FormField } from "./form-field.tsx";

type Props = Omit<InputHTMLAttributes<HTMLInputElement>, "onChange" | "className" | "list"> & {
  label: string;
  hint?: ReactNode;
  error?: string | undefined;
  /** Monospace for ids, keys and code; "small" for long ones. */
  mono?: boolean | "small";
  /** Id of a datalist. */
  list?: string | undefined;
  onChange?: (text: string) => void;
};

/** A single-line text field. With a `name` it belongs to its form. */
export function TextField({ label, hint, error, mono, onChange, ...input }: Props) {
  return (
    <FormField label={label} hint={hint} error={error}>
      {(ids) => (
        <input
          {...ids}
          {...input}
          className={cx("field", mono && "font-mono", mono === "small" && "text-xs")}
          onChange={onChange && ((event) => onChange(event.target.value))}
        />
      )}
    </FormField>
  );
}

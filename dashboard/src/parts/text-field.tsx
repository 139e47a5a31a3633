import type { InputHTMLAttributes, ReactNode } from "react";
import { cx } from "./class-names.ts";
import { FormField } from "./form-field.tsx";

type Props = Omit<InputHTMLAttributes<HTMLInputElement>, "onChange" | "className" | "list"> & {
  label: string;
  hint?: ReactNode;
  error?: string | undefined;
  /** Ids, keys, code: "small" where they are long. */
  mono?: boolean | "small";
  /** The id of a datalist. */
  list?: string | undefined;
  onChange?: (text: string) => void;
};

/** One line to write. With a `name` it is read from its form. */
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

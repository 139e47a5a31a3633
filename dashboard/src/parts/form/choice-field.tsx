import type { ReactNode } from "react";
import { FormField } from "./form-field.tsx";

export type Choice = readonly [value: string, words: string];

type Props = {
  label: string;
  hint?: ReactNode;
  choices: readonly Choice[];
  /** Field name in the form. */
  name?: string;
  value?: string;
  onChange?: (value: string) => void;
};

/** A native select. */
export function ChoiceField({ label, hint, choices, name, value, onChange }: Props) {
  return (
    <FormField label={label} hint={hint}>
      {(ids) => (
        <select
          {...ids}
          name={name}
          className="field"
          value={value}
          onChange={onChange && ((event) => onChange(event.target.value))}
        >
          {choices.map(([id, words]) => (
            <option key={id} value={id}>
              {words}
            </option>
          ))}
        </select>
      )}
    </FormField>
  );
}

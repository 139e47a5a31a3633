import { type Choice, ChoiceField } from "../../parts/form/choice-field.tsx";
import { useEnvironments } from "../../shell/place/use-places.ts";

type Props = { label?: string; hint?: string; none: string; value: string; onChange: (id: string) => void };

/** Selects an environment by id, or none. */
export function EnvironmentChoice({ label = "Environment", hint, none, value, onChange }: Props) {
  const choices = useEnvironments().map(({ id, name }): Choice => [id, name]);
  return <ChoiceField label={label} hint={hint} choices={[["", none], ...choices]} value={value} onChange={onChange} />;
}

import type { Environment } from "@millrace/contract/environments";
import { useChange } from "../../api/use-api.ts";
import { type Choice, ChoiceField } from "../../parts/form/choice-field.tsx";
import { FormDialog } from "../../parts/form/form-dialog.tsx";
import { FormField } from "../../parts/form/form-field.tsx";
import { TextField } from "../../parts/form/text-field.tsx";
import { parseVariables } from "./parse-variables.ts";

type Props = { open: boolean; onClose: () => void; all: Environment[] };

export function AddEnvironment({ open, onClose, all }: Props) {
  const add = useChange<FormData, Environment>({
    run: (form, send) =>
      send("POST", "/v1/environments", {
        name: String(form.get("name")).trim(),
        parent_id: String(form.get("parent_id")) || null,
        variables: parseVariables(String(form.get("variables"))),
      }),
    done: "Environment added",
    invalidates: ["/v1/environments"],
    onDone: onClose,
  });
  const parents = all.map(({ id, name }): Choice => [id, name]);
  return (
    <FormDialog
      open={open}
      onClose={onClose}
      title="Add environment"
      action="Add environment"
      onSubmit={(form) => add.mutateAsync(form)}
    >
      <TextField label="Name" name="name" required maxLength={200} autoComplete="off" />
      <ChoiceField label="Inherits variables from" name="parent_id" choices={[["", "None"], ...parents]} />
      <FormField label="Variables" hint="One NAME=value per line, as in a .env file. Stored encrypted.">
        {(ids) => (
          <textarea
            {...ids}
            name="variables"
            rows={5}
            spellCheck={false}
            placeholder="NAME=value"
            className="field font-mono text-xs"
          />
        )}
      </FormField>
    </FormDialog>
  );
}

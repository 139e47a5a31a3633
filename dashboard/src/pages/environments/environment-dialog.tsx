import type { CreateEnvironment, Environment } from "@millrace/contract/projects/environments";
import { useState } from "react";
import { useChange } from "../../api/use-api.ts";
import { type Choice, ChoiceField } from "../../parts/form/choice-field.tsx";
import { FormDialog } from "../../parts/form/form-dialog.tsx";
import { TextField } from "../../parts/form/text-field.tsx";
import { ImportVariables } from "./import-variables.tsx";
import { inheritsFrom, resolveVariables } from "./resolve-variables.ts";
import { mergeRows, rowsOf, VariableRows } from "./variable-rows.tsx";

type Props = { environment: Environment | undefined; all: Environment[]; onClose: () => void };

/** Creates an environment, or changes its name, parent and variables. */
export function EnvironmentDialog({ environment, all, onClose }: Props) {
  const [name, setName] = useState(environment?.name ?? "");
  const [parent, setParent] = useState(environment?.parent_id ?? "");
  const [rows, setRows] = useState(() => rowsOf(environment?.variables ?? {}));
  const save = useChange<CreateEnvironment, Environment>({
    run: (body, send) =>
      environment ? send("PATCH", `/v1/environments/${environment.id}`, body) : send("POST", "/v1/environments", body),
    done: environment ? "Environment saved" : "Environment added",
    invalidates: ["/v1/environments"],
    onDone: onClose,
  });
  const parents = all.filter((each) => !environment || !inheritsFrom(each, environment.id, all));
  const above = all.find(({ id }) => id === parent);
  const inherited = above
    ? resolveVariables(above, all).map((variable) => ({ ...variable, from: variable.from ?? above.name }))
    : [];
  const repeated = rows.find((row, nth) => rows.findIndex((each) => each.name === row.name) !== nth);
  return (
    <FormDialog
      onClose={onClose}
      title={environment ? `Edit ${environment.name}` : "Add environment"}
      description="Runs receive the variables of their environment, merged over those that it inherits."
      action={environment ? "Save environment" : "Add environment"}
      disabledReason={repeated && `${repeated.name || "An empty name"} is listed twice.`}
      onSubmit={() =>
        save.mutateAsync({
          name: name.trim(),
          ...(!environment?.is_standard && { parent_id: parent || null }),
          variables: Object.fromEntries(rows.map((row) => [row.name, row.value])),
        } as CreateEnvironment)
      }
    >
      <TextField label="Name" required maxLength={200} autoComplete="off" value={name} onChange={setName} />
      {!environment?.is_standard && (
        <ChoiceField
          label="Inherits variables from"
          choices={[["", "None"], ...parents.map(({ id, name: words }): Choice => [id, words])]}
          value={parent}
          onChange={setParent}
        />
      )}
      <VariableRows rows={rows} onChange={setRows} inherited={inherited} />
      <ImportVariables onImport={(imported) => setRows(mergeRows(rows, imported))} />
    </FormDialog>
  );
}

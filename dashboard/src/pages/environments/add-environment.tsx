import type { Environment } from "@millrace/contract/environments";
import { type FormEvent, useState } from "react";
import { useChange } from "../../api/use-api.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { ErrorState } from "../../parts/error-state.tsx";
import { FormField } from "../../parts/form-field.tsx";
import { parseVariables } from "./parse-variables.ts";

type Props = { open: boolean; onClose: () => void; all: Environment[] };

export function AddEnvironment({ open, onClose, all }: Props) {
  const [error, setError] = useState<unknown>();
  const add = useChange<FormData, Environment>({
    run: (form, send) =>
      send("POST", "/v1/environments", {
        name: String(form.get("name")).trim(),
        parent_id: String(form.get("parent_id")) || null,
        variables: parseVariables(String(form.get("variables"))),
      }),
    done: "Environment added",
    outdates: ["/v1/environments"],
  });
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    setError(undefined);
    try {
      await add.mutateAsync(new FormData(event.currentTarget));
      onClose();
    } catch (fault) {
      setError(fault);
    }
  };
  return (
    <Dialog open={open} onClose={onClose} title="Add environment">
      <form className="flex flex-col gap-4" onSubmit={(event) => void submit(event)}>
        <FormField label="Name">
          {(ids) => <input {...ids} name="name" required maxLength={200} autoComplete="off" className="field" />}
        </FormField>
        <FormField label="Inherits variables from">
          {(ids) => (
            <select {...ids} name="parent_id" className="field">
              <option value="">Nothing</option>
              {all.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </select>
          )}
        </FormField>
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
        {error !== undefined && <ErrorState error={error} as="banner" />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Back</Button>
          <Button kind="primary" type="submit" busy={add.isPending}>
            Add environment
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

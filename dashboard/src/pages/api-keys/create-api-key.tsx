import type { CreatedApiKey } from "@millrace/contract/api-keys";
import { type FormEvent, useState } from "react";
import { ApiProblem } from "../../api/problem.ts";
import { useChange } from "../../api/use-api.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { ErrorState } from "../../parts/error-state.tsx";
import { KeyFields } from "./key-fields.tsx";
import { KeySecret } from "./key-secret.tsx";

export function CreateApiKey({ open, onClose }: { open: boolean; onClose: () => void }) {
  const [secret, setSecret] = useState<string>();
  const [error, setError] = useState<unknown>();
  const create = useChange<FormData, CreatedApiKey>({
    run: (form, send) => send("POST", "/v1/api-keys", bodyOf(form)),
    outdates: ["/v1/api-keys"],
  });
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    setError(undefined);
    try {
      const { key } = await create.mutateAsync(new FormData(event.currentTarget));
      create.reset();
      setSecret(key);
      onClose();
    } catch (fault) {
      setError(fault);
    }
  };
  return (
    <>
      <Dialog open={open} onClose={onClose} title="Create API key">
        <form className="flex flex-col gap-4" onSubmit={(event) => void submit(event)}>
          <KeyFields />
          {error !== undefined && <ErrorState error={error} as="banner" />}
          <div className="flex justify-end gap-2">
            <Button onClick={onClose}>Back</Button>
            <Button kind="primary" type="submit" busy={create.isPending}>
              Create key
            </Button>
          </div>
        </form>
      </Dialog>
      <KeySecret secret={secret} title="API key created" onClose={() => setSecret(undefined)} />
    </>
  );
}

function bodyOf(form: FormData) {
  const scopes = form.get("reach") === "some" ? form.getAll("scopes").map(String) : null;
  if (scopes?.length === 0) {
    throw new ApiProblem({
      title: "No scope is chosen",
      detail: "A key that may do nothing is of no use.",
      remedy: "Tick at least one, or choose all.",
    });
  }
  return {
    name: String(form.get("name")).trim(),
    environment_id: String(form.get("environment_id")) || null,
    expires_in_days: daysOf(form.get("expires_in_days")),
    rotation_interval_days: daysOf(form.get("rotation_interval_days")),
    scopes,
  };
}

function daysOf(value: FormDataEntryValue | null): number | null {
  return value ? Number(value) : null;
}

import type { CreatedApiKey } from "@millrace/contract/access/api-keys";
import { useState } from "react";
import { ApiProblem } from "../../api/problem.ts";
import { useChange } from "../../api/use-api.ts";
import { FormDialog } from "../../parts/form/form-dialog.tsx";
import { KeyFields } from "./key-fields.tsx";
import { KeySecret } from "./key-secret.tsx";
import { limitsOf } from "./limit-fields.tsx";

export function CreateApiKey({ open, onClose }: { open: boolean; onClose: () => void }) {
  const [secret, setSecret] = useState<string>();
  const create = useChange<FormData, CreatedApiKey>({
    run: (form, send) => send("POST", "/v1/api-keys", bodyOf(form)),
    invalidates: ["/v1/api-keys"],
  });
  const submit = async (form: FormData) => {
    const { key } = await create.mutateAsync(form);
    create.reset();
    setSecret(key);
    onClose();
  };
  return (
    <>
      <FormDialog open={open} onClose={onClose} title="Create API key" action="Create key" onSubmit={submit}>
        <KeyFields />
      </FormDialog>
      <KeySecret secret={secret} title="API key created" onClose={() => setSecret(undefined)} />
    </>
  );
}

function bodyOf(form: FormData) {
  const scopes = form.get("reach") === "some" ? form.getAll("scopes").map(String) : null;
  if (scopes?.length === 0) {
    throw new ApiProblem({
      title: "No scope selected",
      detail: "A key without scopes cannot call the API.",
      remedy: "Select at least one scope, or all.",
    });
  }
  const [queues, served] = [form.getAll("queues").map(String), form.getAll("worker_environment_ids").map(String)];
  return {
    name: String(form.get("name")).trim(),
    environment_id: String(form.get("environment_id")) || null,
    expires_in_days: daysOf(form.get("expires_in_days")),
    rotation_interval_days: daysOf(form.get("rotation_interval_days")),
    rate_limits: limitsOf(form),
    scopes,
    queues: queues.length > 0 ? queues : null,
    worker_environment_ids: served.length > 0 ? served : null,
  };
}

function daysOf(value: FormDataEntryValue | null): number | null {
  return value ? Number(value) : null;
}

import type { CreatedApiKey } from "@millrace/contract/access/api-keys";
import { useState } from "react";
import { usePermissions } from "../../api/me.ts";
import { useChange } from "../../api/use-api.ts";
import { type Choice, ChoiceField } from "../../parts/form/choice-field.tsx";
import { FormDialog } from "../../parts/form/form-dialog.tsx";
import { SecretOnce } from "../../parts/form/secret-once.tsx";
import { TextField } from "../../parts/form/text-field.tsx";

const LIFETIMES: Choice[] = [
  ["30", "In 30 days"],
  ["90", "In 90 days"],
  ["365", "In a year"],
  ["", "Never"],
];

/** Without a selected scope, the key has all scopes of its owner. */
export function CreatePersonalKey({ open, onClose }: { open: boolean; onClose: () => void }) {
  const permissions = usePermissions();
  const [secret, setSecret] = useState<string>();
  const create = useChange<FormData, CreatedApiKey>({
    run: (form, send) => send<CreatedApiKey>("POST", "/v1/api-keys/personal", bodyOf(form)),
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
      <FormDialog open={open} onClose={onClose} title="Create personal key" action="Create key" onSubmit={submit}>
        <TextField label="Name" hint="What uses this key." name="name" required maxLength={200} autoComplete="off" />
        <ChoiceField label="Expires" name="expires_in_days" choices={LIFETIMES} />
        <fieldset className="flex flex-col gap-1.5">
          <legend className="mb-1.5 font-medium text-xs">Scopes</legend>
          <p className="text-ink-3 text-xs">Select none for everything your role allows.</p>
          <div className="grid max-h-40 grid-cols-2 gap-1 overflow-y-auto rounded-sm border p-2">
            {permissions.map((scope) => (
              <label key={scope} className="flex items-center gap-2 text-xs">
                <input type="checkbox" name="scopes" value={scope} />
                {scope}
              </label>
            ))}
          </div>
        </fieldset>
      </FormDialog>
      <SecretOnce
        secret={secret}
        title="Personal key created"
        variable="MILLRACE_API_KEY"
        onClose={() => setSecret(undefined)}
      />
    </>
  );
}

function bodyOf(form: FormData) {
  const [days, scopes] = [form.get("expires_in_days"), form.getAll("scopes").map(String)];
  return {
    name: String(form.get("name")).trim(),
    expires_in_days: days ? Number(days) : null,
    scopes: scopes.length > 0 ? scopes : null,
  };
}

import type { CreatedApiKey } from "@millrace/contract/api-keys";
import { type FormEvent, useState } from "react";
import { useMe } from "../../api/me.ts";
import { ApiProblem } from "../../api/problem.ts";
import { useChange } from "../../api/use-api.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { ErrorState } from "../../parts/error-state.tsx";
import { FormField } from "../../parts/form-field.tsx";
import { SecretOnce } from "../../parts/secret-once.tsx";
import { useEnvironments } from "../../shell/place-switch.tsx";

const LIFETIMES: [string, string][] = [
  ["", "Never"],
  ["30", "In 30 days"],
  ["90", "In 90 days"],
  ["365", "In a year"],
];

export function CreateApiKey({ open, onClose }: { open: boolean; onClose: () => void }) {
  const [secret, setSecret] = useState<string>();
  const [error, setError] = useState<unknown>();
  const [reach, setReach] = useState("all");
  const { data: me } = useMe();
  const environments = useEnvironments();
  const create = useChange<FormData, CreatedApiKey>({
    run: (form, send) => send("POST", "/v1/api-keys", bodyOf(form)),
    outdates: ["/v1/api-keys"],
  });
  const offered = me?.environment_id ? environments.filter(({ id }) => id === me.environment_id) : environments;
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
          <FormField label="Name" hint="For people: what uses it.">
            {(ids) => <input {...ids} name="name" required maxLength={200} autoComplete="off" className="field" />}
          </FormField>
          <div className="grid gap-4 sm:grid-cols-2">
            <FormField label="Environment">
              {(ids) => (
                <select {...ids} name="environment_id" className="field">
                  {!me?.environment_id && <option value="">Every environment</option>}
                  {offered.map(({ id, name }) => (
                    <option key={id} value={id}>
                      {name}
                    </option>
                  ))}
                </select>
              )}
            </FormField>
            <FormField label="Expires">
              {(ids) => (
                <select {...ids} name="expires_in_days" className="field">
                  {LIFETIMES.map(([days, label]) => (
                    <option key={days} value={days}>
                      {label}
                    </option>
                  ))}
                </select>
              )}
            </FormField>
          </div>
          <fieldset className="flex flex-col gap-1.5">
            <legend className="mb-1.5 font-medium text-xs">May do</legend>
            {[
              ["all", "All that I may do"],
              ["some", "Only some of it"],
            ].map(([value, label]) => (
              <label key={value} className="flex items-center gap-2">
                <input
                  type="radio"
                  name="reach"
                  value={value}
                  className="accent-accent"
                  checked={reach === value}
                  onChange={() => setReach(value ?? "all")}
                />
                {label}
              </label>
            ))}
            {reach === "some" && (
              <div className="mt-1 grid max-h-48 grid-cols-2 gap-1 overflow-y-auto rounded-sm border p-2">
                {me?.permissions.map((scope) => (
                  <label key={scope} className="flex items-center gap-2">
                    <input type="checkbox" name="scopes" value={scope} className="accent-accent" />
                    <code className="font-mono text-xs">{scope}</code>
                  </label>
                ))}
              </div>
            )}
          </fieldset>
          {error !== undefined && <ErrorState error={error} as="banner" />}
          <div className="flex justify-end gap-2">
            <Button onClick={onClose}>Back</Button>
            <Button kind="primary" type="submit" busy={create.isPending}>
              Create key
            </Button>
          </div>
        </form>
      </Dialog>
      <SecretOnce
        secret={secret}
        title="API key created"
        variable="MILLRACE_API_KEY"
        test={`curl -s ${location.origin}/v1/me \\\n  -H "Authorization: Bearer ${secret}"`}
        onClose={() => setSecret(undefined)}
      />
    </>
  );
}

function bodyOf(form: FormData) {
  const days = String(form.get("expires_in_days"));
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
    expires_in_days: days ? Number(days) : null,
    scopes,
  };
}

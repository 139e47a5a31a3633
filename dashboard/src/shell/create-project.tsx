import type { CreatedProject } from "@millrace/contract/projects";
import { useQueryClient } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { call } from "../api/call.ts";
import { Button } from "../parts/button.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { ErrorState } from "../parts/error-state.tsx";
import { FormField } from "../parts/form-field.tsx";
import { SecretOnce } from "../parts/secret-once.tsx";

export function CreateProject({ open, onClose }: { open: boolean; onClose: () => void }) {
  const [name, setName] = useState("");
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const [created, setCreated] = useState<CreatedProject>();
  const client = useQueryClient();
  const { history } = useRouter();
  const create = async (event: FormEvent) => {
    event.preventDefault();
    if (name.trim() === "" || isBusy) return;
    setBusy(true);
    setError(undefined);
    try {
      setCreated(await call<CreatedProject>("POST", "/v1/projects", { body: { name: name.trim() } }));
      onClose();
      setName("");
      await client.invalidateQueries({ queryKey: ["projects"] });
    } catch (fault) {
      setError(fault);
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <Dialog open={open} onClose={onClose} title="Create project" width="narrow">
        <form className="flex flex-col gap-4" onSubmit={(event) => void create(event)}>
          <FormField label="Name" hint="It is born with production, staging and development.">
            {(ids) => (
              <input
                {...ids}
                className="field"
                value={name}
                maxLength={200}
                autoComplete="off"
                onChange={(event) => setName(event.target.value)}
              />
            )}
          </FormField>
          {error !== undefined && <ErrorState error={error} as="banner" />}
          <div className="flex justify-end gap-2">
            <Button onClick={onClose}>Back</Button>
            <Button kind="primary" type="submit" busy={isBusy}>
              Create project
            </Button>
          </div>
        </form>
      </Dialog>
      <SecretOnce
        secret={created?.webhook_secret}
        title={`${created?.name ?? "Project"} is ready. This secret signs its webhooks`}
        variable="MILLRACE_WEBHOOK_SECRET"
        onClose={() => {
          const slug = created?.slug;
          setCreated(undefined);
          if (slug) history.push(`/p/${slug}`);
        }}
      />
    </>
  );
}

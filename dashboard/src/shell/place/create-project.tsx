import type { CreatedProject } from "@millrace/contract/projects/projects";
import { useQueryClient } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { useState } from "react";
import { call } from "../../api/call.ts";
import { FormDialog } from "../../parts/form/form-dialog.tsx";
import { SecretOnce } from "../../parts/form/secret-once.tsx";
import { TextField } from "../../parts/form/text-field.tsx";

export function CreateProject({ open, onClose }: { open: boolean; onClose: () => void }) {
  const [created, setCreated] = useState<CreatedProject>();
  const client = useQueryClient();
  const { history } = useRouter();
  const create = async (form: FormData) => {
    const body = { name: String(form.get("name")).trim() };
    setCreated(await call<CreatedProject>("POST", "/v1/projects", { body }));
    onClose();
    await client.invalidateQueries({ queryKey: ["projects"] });
  };
  return (
    <>
      <FormDialog
        open={open}
        onClose={onClose}
        width="narrow"
        title="Create project"
        action="Create project"
        onSubmit={create}
      >
        <TextField
          label="Name"
          hint="Created with the environments production, staging and development."
          name="name"
          required
          maxLength={200}
          autoComplete="off"
        />
      </FormDialog>
      <SecretOnce
        secret={created?.webhook_secret}
        title={`${created?.name ?? "Project"} created: signing secret`}
        variable="MILLRACE_SIGNING_SECRET"
        onClose={() => {
          const slug = created?.slug;
          setCreated(undefined);
          if (slug) history.push(`/p/${slug}`);
        }}
      />
    </>
  );
}

import type { CreateOutboxSource, OutboxSource } from "@millrace/contract/events/outbox-sources";
import { useChange } from "../../api/use-api.ts";
import { FormDialog } from "../../parts/form/form-dialog.tsx";
import { TextField } from "../../parts/form/text-field.tsx";

/** The service connects to the database before it saves the source, so a mistake is shown here. */
export function CreateSource({ onClose }: { onClose: () => void }) {
  const create = useChange<FormData, OutboxSource>({
    run: (form, send) =>
      send("POST", "/v1/outbox-sources", {
        name: String(form.get("name")).trim(),
        database_url: String(form.get("database_url")).trim(),
      } satisfies CreateOutboxSource),
    done: "Outbox source created",
    invalidates: ["/v1/outbox-sources"],
    onDone: onClose,
  });
  return (
    <FormDialog
      onClose={onClose}
      title="Create outbox source"
      description="The database must be prepared with millrace outbox install. The connection is tested first."
      action="Create outbox source"
      onSubmit={(form) => create.mutateAsync(form)}
    >
      <TextField label="Name" name="name" required maxLength={200} autoComplete="off" />
      <TextField
        label="Connection string"
        hint="postgresql://user:password@host:5432/database. It is stored encrypted and never shown again."
        name="database_url"
        type="password"
        required
        maxLength={2_048}
        autoComplete="off"
        mono
      />
    </FormDialog>
  );
}

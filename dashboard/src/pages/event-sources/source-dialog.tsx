import type { CreatedEventSource, CreateEventSource, EventSource } from "@millrace/contract/events/event-sources";
import { useRouter } from "@tanstack/react-router";
import { useState } from "react";
import { useChange } from "../../api/use-api.ts";
import { JsonEditor, printJson, readJson } from "../../parts/code/json-editor.tsx";
import { type Choice, ChoiceField } from "../../parts/form/choice-field.tsx";
import { FormDialog } from "../../parts/form/form-dialog.tsx";
import { SecretOnce } from "../../parts/form/secret-once.tsx";
import { TextField } from "../../parts/form/text-field.tsx";
import { usePlace } from "../../shell/place/place.ts";

const SIGNATURES: Choice[] = [
  ["none", "None (API key only)"],
  ["hmac", "HMAC (Millrace)"],
  ["github", "GitHub"],
  ["stripe", "Stripe"],
];

/** Creates a source and shows its secret once, or changes one. */
export function SourceDialog({ source, onClose }: { source: EventSource | undefined; onClose: () => void }) {
  const [form, setForm] = useState(() => formOf(source));
  const [created, setCreated] = useState<CreatedEventSource>();
  const { at } = usePlace();
  const { history } = useRouter();
  const set = (field: keyof typeof form) => (value: string) => setForm((before) => ({ ...before, [field]: value }));
  const schema = form.schema.trim() === "" ? ({ ok: true, value: null } as const) : readJson(form.schema);
  const save = useChange<CreateEventSource, CreatedEventSource>({
    run: (body, send) =>
      source ? send("PATCH", `/v1/event-sources/${source.id}`, body) : send("POST", "/v1/event-sources", body),
    done: source ? "Event source saved" : "Event source created",
    invalidates: ["/v1/event-sources"],
  });
  const leave = ({ id }: { id: string }) => {
    onClose();
    if (!source) history.push(at(`event-sources/${id}`));
  };
  const submit = async () => {
    const result = await save.mutateAsync({
      name: form.name.trim(),
      description: form.description.trim() || null,
      payload_schema: schema.ok ? schema.value : null,
      dedup_window_secs: Number(form.dedup_window_secs),
      ...(!source && { signature: form.signature, ...(form.secret && { secret: form.secret }) }),
    } as CreateEventSource);
    if (!source && result.secret) setCreated(result);
    else leave(result);
  };
  if (created) {
    return (
      <SecretOnce
        secret={created.secret ?? ""}
        title={`Secret of ${created.name}`}
        variable="WEBHOOK_SECRET"
        onClose={() => leave(created)}
      />
    );
  }
  return (
    <FormDialog
      onClose={onClose}
      title={source ? `Edit ${source.name}` : "Create event source"}
      action={source ? "Save event source" : "Create event source"}
      disabledReason={schema.ok ? undefined : "The schema is not valid JSON."}
      onSubmit={submit}
    >
      <TextField label="Name" required maxLength={200} autoComplete="off" value={form.name} onChange={set("name")} />
      <TextField label="Description" autoComplete="off" value={form.description} onChange={set("description")} />
      {!source && (
        <ChoiceField
          label="Webhook signature"
          hint="It cannot be changed later."
          choices={SIGNATURES}
          value={form.signature}
          onChange={set("signature")}
        />
      )}
      {!source && form.signature !== "none" && (
        <TextField
          label="Secret"
          hint="Leave empty to generate one. For Stripe, paste the secret that Stripe issued."
          type="password"
          minLength={16}
          maxLength={512}
          autoComplete="off"
          mono
          value={form.secret}
          onChange={set("secret")}
        />
      )}
      <TextField
        label="Deduplication window (seconds)"
        hint="An event with the same id within this time is ignored. 0 turns deduplication off."
        type="number"
        min={0}
        max={2_592_000}
        required
        value={form.dedup_window_secs}
        onChange={set("dedup_window_secs")}
      />
      <JsonEditor label="Payload schema (optional JSON Schema)" rows={4} value={form.schema} onChange={set("schema")} />
    </FormDialog>
  );
}

function formOf(source: EventSource | undefined) {
  return {
    name: source?.name ?? "",
    description: source?.description ?? "",
    signature: (source?.signature ?? "none") as string,
    secret: "",
    dedup_window_secs: String(source?.dedup_window_secs ?? 86_400),
    schema: source?.payload_schema ? printJson(source.payload_schema) : "",
  };
}

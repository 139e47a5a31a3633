import type { CreateLogDrain, DrainAuth, LogDrain } from "@millrace/contract/deliveries/log-drains";
import { useState } from "react";
import { useChange } from "../../api/use-api.ts";
import { type Choice, ChoiceField } from "../../parts/form/choice-field.tsx";
import { FormDialog } from "../../parts/form/form-dialog.tsx";
import { TextField } from "../../parts/form/text-field.tsx";
import { EnvironmentChoice } from "../shared-forms/environment-choice.tsx";
import { DESTINATIONS, type Destination, DrainAuthFields, destinationOf } from "./drain-fields.tsx";

const PATH = "/v1/log-drains";
const LEVELS: Choice[] = [
  ["debug", "All"],
  ["info", "Info and higher"],
  ["warn", "Warnings and errors"],
  ["error", "Errors"],
];

/** Creates a drain, or changes one. What it sends cannot be changed. */
export function DrainDialog({ drain, onClose }: { drain: LogDrain | undefined; onClose: () => void }) {
  const [destination, setDestination] = useState<Destination>(destinationOf(drain));
  const [form, setForm] = useState({
    name: drain?.name ?? "",
    url: drain?.url ?? "",
    min_level: drain?.min_level ?? "debug",
    environment_id: drain?.environment_id ?? "",
  });
  const [auth, setAuth] = useState<DrainAuth>();
  const set = (field: keyof typeof form) => (value: string) => setForm((before) => ({ ...before, [field]: value }));
  const save = useChange<CreateLogDrain, LogDrain>({
    run: (body, send) => (drain ? send("PATCH", `${PATH}/${drain.id}`, body) : send("POST", PATH, body)),
    done: drain ? "Log drain saved" : "Log drain created",
    invalidates: [PATH],
    onDone: onClose,
  });
  const { signal, format, example } = DESTINATIONS[destination];
  const body = {
    name: form.name.trim(),
    url: form.url.trim(),
    format,
    ...(drain ? {} : { signal }),
    ...(signal === "logs" && { min_level: form.min_level }),
    environment_id: form.environment_id || null,
    ...(auth && { auth }),
  } as CreateLogDrain;
  const offered = Object.entries(DESTINATIONS).filter(([, each]) => !drain || each.signal === drain.signal);
  return (
    <FormDialog
      onClose={onClose}
      title={drain ? `Edit ${drain.name}` : "Create log drain"}
      description="Sends new data only, starting now."
      action={drain ? "Save log drain" : "Create log drain"}
      onSubmit={() => save.mutateAsync(body)}
    >
      <ChoiceField
        label="Destination"
        choices={offered.map(([id, { label }]): Choice => [id, label])}
        value={destination}
        onChange={(id) => setDestination(id as Destination)}
      />
      <TextField label="Name" required maxLength={200} autoComplete="off" value={form.name} onChange={set("name")} />
      <TextField
        label="URL"
        type="url"
        required
        maxLength={2_048}
        autoComplete="off"
        placeholder={example}
        mono="small"
        value={form.url}
        onChange={set("url")}
      />
      <DrainAuthFields stored={drain} auth={auth} onChange={setAuth} />
      <div className="grid gap-4 sm:grid-cols-2">
        {signal === "logs" && (
          <ChoiceField label="Level" choices={LEVELS} value={form.min_level} onChange={set("min_level")} />
        )}
        <EnvironmentChoice none="All environments" value={form.environment_id} onChange={set("environment_id")} />
      </div>
    </FormDialog>
  );
}

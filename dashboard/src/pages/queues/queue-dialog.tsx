import type { CreateQueue, Queue, UpdateQueue } from "@millrace/contract/workers/queues";
import { useChange } from "../../api/use-api.ts";
import { FormDialog } from "../../parts/form/form-dialog.tsx";
import { TextField } from "../../parts/form/text-field.tsx";

const MAX_COUNT = 1_000_000;
const DAY_SECS = 86_400;
const DEFAULT_WEIGHT = 100;

/** Creates a queue, or changes the limits of this one. Its name cannot be changed. */
export function QueueDialog({ queue, onClose }: { queue: Queue | undefined; onClose: () => void }) {
  const save = useChange<FormData, Queue>({
    run: (form, send) =>
      queue
        ? send("PATCH", `/v1/queues/${queue.name}`, settingsOf(form))
        : send("POST", "/v1/queues", {
            name: String(form.get("name")).trim(),
            ...settingsOf(form),
          } satisfies CreateQueue),
    done: queue ? "Queue saved" : "Queue created",
    invalidates: ["/v1/queues"],
    onDone: onClose,
  });
  return (
    <FormDialog
      onClose={onClose}
      title={queue ? `Edit ${queue.name}` : "Create queue"}
      description="All jobs of the queue share these limits. Changes take effect immediately."
      action={queue ? "Save queue" : "Create queue"}
      onSubmit={(form) => save.mutateAsync(form)}
    >
      {!queue && (
        <TextField
          label="Name"
          hint="Lower-case letters, digits and single hyphens. It cannot be changed."
          name="name"
          required
          pattern="[a-z0-9]+(-[a-z0-9]+)*"
          maxLength={63}
          autoComplete="off"
          mono
        />
      )}
      <TextField label="Description" name="description" autoComplete="off" defaultValue={queue?.description ?? ""} />
      <LimitFields queue={queue} />
    </FormDialog>
  );
}

function LimitFields({ queue }: { queue: Queue | undefined }) {
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <TextField
        label="Max. concurrency"
        hint="Leave empty for no limit."
        name="max_concurrency"
        type="number"
        min={1}
        max={MAX_COUNT}
        defaultValue={queue?.max_concurrency ?? ""}
      />
      <TextField
        label="Weight"
        hint="Share of this queue when a worker serves several queues."
        name="weight"
        type="number"
        required
        min={1}
        max={1_000}
        defaultValue={queue?.weight ?? DEFAULT_WEIGHT}
      />
      <TextField
        label="Rate limit (starts)"
        hint="Set it together with the window, or leave both empty."
        name="rate_limit_max"
        type="number"
        min={1}
        max={MAX_COUNT}
        defaultValue={queue?.rate_limit_max ?? ""}
      />
      <TextField
        label="Rate limit window (seconds)"
        name="rate_limit_window_secs"
        type="number"
        min={1}
        max={DAY_SECS}
        defaultValue={queue?.rate_limit_window_secs ?? ""}
      />
    </div>
  );
}

function settingsOf(form: FormData): UpdateQueue {
  const numberOf = (name: string) => Number(form.get(name)) || null;
  return {
    description: String(form.get("description")).trim() || null,
    max_concurrency: numberOf("max_concurrency"),
    rate_limit_max: numberOf("rate_limit_max"),
    rate_limit_window_secs: numberOf("rate_limit_window_secs"),
    weight: Number(form.get("weight")),
  };
}

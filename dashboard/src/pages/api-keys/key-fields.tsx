import type { Queue } from "@millrace/contract/workers/queues";
import { useState } from "react";
import { useMay, useMe, usePermissions } from "../../api/me.ts";
import { useApiList } from "../../api/use-api.ts";
import { type Choice, ChoiceField } from "../../parts/form/choice-field.tsx";
import { TextField } from "../../parts/form/text-field.tsx";
import { useEnvironments } from "../../shell/place/use-places.ts";
import { LimitFields } from "./limit-fields.tsx";

const LIFETIMES: Choice[] = [
  ["", "Never"],
  ["30", "In 30 days"],
  ["90", "In 90 days"],
  ["365", "In a year"],
];
const INTERVALS: Choice[] = [
  ["", "Never"],
  ["30", "Every 30 days"],
  ["90", "Every 90 days"],
  ["365", "Every year"],
];

/** Fields of a new key: name, environment, expiry, rotation, rate limits, what its workers may serve, and scopes. */
export function KeyFields() {
  const { data: me } = useMe();
  const permissions = usePermissions();
  const environments = useEnvironments();
  const offered = me?.environment_id ? environments.filter(({ id }) => id === me.environment_id) : environments;
  const places = offered.map(({ id, name }): Choice => [id, name]);
  const [bound, setBound] = useState(me?.environment_id ?? "");
  return (
    <>
      <TextField label="Name" hint="What uses this key." name="name" required maxLength={200} autoComplete="off" />
      <div className="grid gap-4 sm:grid-cols-3">
        <ChoiceField
          label="Environment"
          name="environment_id"
          choices={me?.environment_id ? places : [["", "All environments"], ...places]}
          onChange={setBound}
        />
        <ChoiceField label="Expires" name="expires_in_days" choices={LIFETIMES} />
        <ChoiceField label="Rotation reminder" name="rotation_interval_days" choices={INTERVALS} />
      </div>
      <LimitFields limits={null} />
      <WorkerQueues />
      {bound === "" && <WorkerEnvironments places={places} />}
      <Reach permissions={permissions} />
    </>
  );
}

/** Shown once there is more than the queue `default`. */
function WorkerQueues() {
  const { rows: queues = [] } = useApiList<Queue>("/v1/queues", {}, useMay("jobs:read"));
  if (queues.length < 2) return null;
  return (
    <fieldset className="flex flex-col gap-1.5">
      <legend className="mb-1.5 font-medium text-xs">Queues for workers</legend>
      <p className="text-ink-3 text-xs">Workers with this key may serve the selected queues. Select none for all.</p>
      <Checkboxes name="queues" choices={queues.map(({ name }) => [name, name])} />
    </fieldset>
  );
}

/** Not for a key that is bound to one environment. */
function WorkerEnvironments({ places }: { places: Choice[] }) {
  return (
    <fieldset className="flex flex-col gap-1.5">
      <legend className="mb-1.5 font-medium text-xs">Environments for workers</legend>
      <p className="text-ink-3 text-xs">
        Workers with this key claim only runs of the selected environments. Select none to allow all.
      </p>
      <Checkboxes name="worker_environment_ids" choices={places} />
    </fieldset>
  );
}

function Checkboxes({ name, choices }: { name: string; choices: Choice[] }) {
  return (
    <div className="grid max-h-32 grid-cols-2 gap-1 overflow-y-auto rounded-sm border p-2">
      {choices.map(([value, label]) => (
        <label key={value} className="flex items-center gap-2">
          <input type="checkbox" name={name} value={value} />
          <code className="font-mono text-xs">{label}</code>
        </label>
      ))}
    </div>
  );
}

const REACHES: Choice[] = [
  ["all", "All my permissions"],
  ["some", "Selected scopes"],
];

function Reach({ permissions }: { permissions: readonly string[] }) {
  const [reach, setReach] = useState("all");
  return (
    <fieldset className="flex flex-col gap-1.5">
      <legend className="mb-1.5 font-medium text-xs">Permissions</legend>
      {REACHES.map(([value, label]) => (
        <label key={value} className="flex items-center gap-2">
          <input type="radio" name="reach" value={value} checked={reach === value} onChange={() => setReach(value)} />
          {label}
        </label>
      ))}
      {reach === "some" && (
        <div className="mt-1 grid max-h-48 grid-cols-2 gap-1 overflow-y-auto rounded-sm border p-2">
          {permissions.map((scope) => (
            <label key={scope} className="flex items-center gap-2">
              <input type="checkbox" name="scopes" value={scope} />
              <code className="font-mono text-xs">{scope}</code>
            </label>
          ))}
        </div>
      )}
    </fieldset>
  );
}

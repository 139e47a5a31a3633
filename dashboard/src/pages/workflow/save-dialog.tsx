import type { ActiveVersion } from "@millrace/contract/workflow-versions";
import type { UpdateWorkflow, Workflow } from "@millrace/contract/workflows";
import { useId, useState } from "react";
import { asProblem } from "../../api/problem.ts";
import { type Page, useApi, useChange } from "../../api/use-api.ts";
import { Diff } from "../../parts/code/diff.tsx";
import { Button } from "../../parts/form/button.tsx";
import { useSubmit } from "../../parts/form/use-submit.ts";
import { plural } from "../../parts/format.ts";
import { Dialog } from "../../parts/overlay/dialog.tsx";
import { ErrorState } from "../../parts/state/error-state.tsx";
import { CyclePicture } from "./cycle-picture.tsx";

type Props = { workflow: Workflow; changes: UpdateWorkflow; onClose: () => void };

const MAKES_VERSION = ["steps", "timeout_secs", "max_parallel_steps", "payload_schema"];

/** Reviews the changes, runs in flight, and whether the change is breaking. */
export function SaveDialog({ workflow, changes, onClose }: Props) {
  const [isBreaking, setBreaking] = useState(false);
  const [isCurrent, setCurrent] = useState(true);
  const { data } = useApi<Page<ActiveVersion>>(`/v1/workflows/${workflow.id}/active-versions`, { limit: 100 });
  const active = data && (data.data.find(({ version_id }) => version_id === workflow.version_id)?.active_runs ?? 0);
  const isVersion = MAKES_VERSION.some((field) => field in changes);
  const save = useChange<UpdateWorkflow, Workflow>({
    run: (body, send) => send("PATCH", `/v1/workflows/${workflow.id}`, body),
    done: ({ active_runs_on_previous_version: left }) =>
      left ? `Saved; ${plural(left, "run stays", "runs stay")} on version ${workflow.current_version}` : "Saved",
    invalidates: ["/v1/workflows"],
    onDone: onClose,
  });
  const version = isVersion ? { activate: isCurrent, breaking_change: isBreaking } : {};
  const { error, isBusy, send } = useSubmit(() => save.mutateAsync({ ...changes, ...version }));
  const before = Object.fromEntries(Object.keys(changes).map((field) => [field, workflow[field as keyof Workflow]]));
  return (
    <Dialog
      open
      onClose={onClose}
      width="wide"
      title="Save changes?"
      description={
        isVersion ? `Creates version ${workflow.version + 1}.` : "Takes effect immediately, for all versions."
      }
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" busy={isBusy} onClick={() => void send()}>
            Save changes
          </Button>
        </>
      }
    >
      {isVersion && (
        <>
          <p>
            <strong className="font-medium">{active === undefined ? "Runs" : plural(active, "run")} in flight</strong>{" "}
            on version {workflow.current_version}
            {active === undefined && " are being counted"}. They continue on their version. Only new runs use the new
            version.
          </p>
          <Check
            label="Make this the current version"
            hint="Turn off to save the version without activating it, for example to try it in a canary."
            is={isCurrent}
            onChange={setCurrent}
          />
          <Check
            label="Breaking change"
            hint="Mark this when runs on the old and new version are not compatible, for example because event keys change. The audit log records it with the affected runs."
            is={isBreaking}
            onChange={setBreaking}
          />
        </>
      )}
      <Diff before={before} after={changes} labels={["Current", "New"]} />
      {error !== undefined && <ErrorState error={error} as="banner" />}
      {error !== undefined && <CyclePicture issues={asProblem(error).errors} />}
    </Dialog>
  );
}

type CheckProps = { label: string; hint: string; is: boolean; onChange: (is: boolean) => void };

function Check({ label, hint, is, onChange }: CheckProps) {
  const id = useId();
  return (
    <label htmlFor={id} className="flex items-start gap-2">
      <input
        id={id}
        type="checkbox"
        className="mt-0.5 size-4"
        checked={is}
        onChange={(event) => onChange(event.target.checked)}
      />
      <span>
        {label}
        <span className="block text-ink-2 text-xs">{hint}</span>
      </span>
    </label>
  );
}

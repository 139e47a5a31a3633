import type { CanaryComparison, CreateCanary } from "@millrace/contract/workflows/canaries";
import type { ActiveVersion } from "@millrace/contract/workflows/workflow-versions";
import type { UpdateWorkflow, Workflow } from "@millrace/contract/workflows/workflows";
import { useRef, useState } from "react";
import { asProblem } from "../../../api/problem.ts";
import { type Page, useApi, useChange } from "../../../api/use-api.ts";
import { Diff } from "../../../parts/code/diff.tsx";
import { Button } from "../../../parts/form/button.tsx";
import { TextField } from "../../../parts/form/text-field.tsx";
import { useSubmit } from "../../../parts/form/use-submit.ts";
import { plural } from "../../../parts/format.ts";
import { Dialog } from "../../../parts/overlay/dialog.tsx";
import { ErrorState } from "../../../parts/state/error-state.tsx";
import { CheckField } from "../../shared-forms/check-field.tsx";
import { CyclePicture } from "../cycle-picture.tsx";

type Props = {
  workflow: Workflow;
  changes: UpdateWorkflow;
  /** The changed fields as they are now; by default as stored. */
  before?: Record<string, unknown>;
  onSaved?: () => void;
  onClose: () => void;
};

const MAKES_VERSION = ["steps", "timeout_secs", "max_parallel_steps", "payload_schema"];

/** Reviews the changes, runs in flight, and whether the change is breaking. */
export function SaveDialog({ workflow, changes, before: given, onSaved, onClose }: Props) {
  const [isBreaking, setBreaking] = useState(false);
  const [isCurrent, setCurrent] = useState(true);
  const [share, setShare] = useState("");
  const path = `/v1/workflows/${workflow.id}`;
  const { data } = useApi<Page<ActiveVersion>>(`${path}/active-versions`, { limit: 100 });
  const active = data && (data.data.find(({ version_id }) => version_id === workflow.version_id)?.active_runs ?? 0);
  const { data: canary } = useApi<CanaryComparison>(`${path}/canary`, {}, workflow.canary_id !== null && !isCurrent);
  const hasCanary = canary?.status === "active";
  const saved = useRef<Workflow>(undefined);
  const isVersion = MAKES_VERSION.some((field) => field in changes);
  const save = useChange<UpdateWorkflow, Workflow>({
    run: async (body, send) => {
      // Kept in case the canary is refused: another attempt must not create another version.
      saved.current ??= await send<Workflow>("PATCH", path, body);
      const { version } = saved.current;
      const started: CreateCanary = { target_version: version, traffic_pct: Number(share) };
      if (isVersion && !isCurrent && !hasCanary && share !== "") await send("POST", `${path}/canary`, started);
      return saved.current;
    },
    done: ({ active_runs_on_previous_version: left }) =>
      left ? `Saved; ${plural(left, "run stays", "runs stay")} on version ${workflow.current_version}` : "Saved",
    invalidates: ["/v1/workflows"],
    onDone: () => {
      onSaved?.();
      onClose();
    },
  });
  const version = isVersion ? { activate: isCurrent, breaking_change: isBreaking } : {};
  const { error, isBusy, send } = useSubmit(() => save.mutateAsync({ ...changes, ...version }));
  const before =
    given ?? Object.fromEntries(Object.keys(changes).map((field) => [field, workflow[field as keyof Workflow]]));
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
          <CheckField
            label="Make this the current version"
            hint="Turn off to save the version without activating it, for example to try it in a canary."
            checked={isCurrent}
            onChange={setCurrent}
          />
          {hasCanary && !isCurrent && (
            <p className="text-ink-2">
              A canary is active. Promote it or roll it back before you start another: this version is stored without
              being used for new runs.
            </p>
          )}
          {!isCurrent && !hasCanary && (
            <TextField
              label="Start a canary with this share of new runs (%)"
              hint="Leave empty to store the version without using it for new runs."
              type="number"
              min={1}
              max={100}
              value={share}
              onChange={setShare}
            />
          )}
          <CheckField
            label="Breaking change"
            hint="Mark this when runs on the old and new version are not compatible, for example because event keys change. The audit log records it with the affected runs."
            checked={isBreaking}
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

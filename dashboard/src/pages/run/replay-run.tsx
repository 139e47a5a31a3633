import type { Job } from "@millrace/contract/jobs/jobs";
import type { Run } from "@millrace/contract/runs/runs";
import { useRouter } from "@tanstack/react-router";
import { useMemo } from "react";
import { useChange } from "../../api/use-api.ts";
import { CodeFold } from "../../parts/code/code-fold.tsx";
import { Diff } from "../../parts/code/diff.tsx";
import { JsonDialog } from "../../parts/code/json-dialog.tsx";
import { printJson } from "../../parts/code/json-editor.tsx";
import { toast } from "../../parts/overlay/toasts.tsx";
import { usePlace } from "../../shell/place/place.ts";
import { codeOf } from "../code-of.ts";
import { checkSchema } from "../shared-runs/check-schema.ts";

type Props = { run: Run; job: Job | undefined; onClose: () => void };

/** Replays a run, optionally with an edited payload, validated against the job's schema. */
export function ReplayRun({ run, job, onClose }: Props) {
  const { at } = usePlace();
  const { history } = useRouter();
  const before = useMemo(() => printJson(run.payload), [run.payload]);
  const path = `/v1/runs/${run.id}/replay`;
  const isEdited = (payload: unknown) => payload !== undefined && printJson(payload) !== before;
  const bodyOf = (payload: unknown) => (isEdited(payload) ? { payload } : {});
  const { mutateAsync } = useChange<object, Run>({
    run: (body, send) => send("POST", path, body),
    invalidates: ["/v1/runs"],
  });
  const replay = async (payload: unknown) => {
    const created = await mutateAsync(bodyOf(payload));
    toast({ title: isEdited(payload) ? "Replayed with edits" : "Run replayed" });
    onClose();
    history.push(at(`runs/${created.id}`));
  };
  return (
    <JsonDialog
      width="wide"
      title="Replay run"
      description="Creates a new run of the same job at its current version. This run does not change."
      label="Payload"
      first={before}
      rows={14}
      action={({ value }) => (isEdited(value) ? "Replay with edits" : "Replay run")}
      issuesOf={(payload) => checkSchema(job?.payload_schema, payload)}
      onSend={replay}
      onClose={onClose}
    >
      {({ text, value }) => (
        <>
          <p className="min-h-4 text-ink-3 text-xs">
            {job &&
              (job.payload_schema
                ? "Validated against the payload schema of the job."
                : "The job has no payload schema, so any JSON is valid.")}
          </p>
          {isEdited(value) && <Diff before={before} after={text} labels={["Original", "Edited"]} />}
          <CodeFold code={codeOf({ method: "POST", path, body: bodyOf(value) }).curl} />
        </>
      )}
    </JsonDialog>
  );
}

import type { Job } from "@millrace/contract/jobs";
import type { Run } from "@millrace/contract/runs";
import { useRouter } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { useChange } from "../../api/use-api.ts";
import { Button } from "../../parts/button.tsx";
import { CodeBlock } from "../../parts/code-block.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Diff } from "../../parts/diff.tsx";
import { ErrorState } from "../../parts/error-state.tsx";
import { JsonEditor, printJson, readJson } from "../../parts/json-editor.tsx";
import { toast } from "../../parts/toasts.tsx";
import { usePlace } from "../../shell/place.ts";
import { codeOf } from "../code-of.ts";
import { checkSchema } from "../of-runs/check-schema.ts";

type Props = { run: Run; job: Job | undefined; onClose: () => void };

/** The run again, as it was or with another payload. Shows what is different, and what the job's schema says to it. */
export function ReplayRun({ run, job, onClose }: Props) {
  const { at } = usePlace();
  const { history } = useRouter();
  const before = useMemo(() => printJson(run.payload), [run.payload]);
  const [text, setText] = useState(before);
  const [error, setError] = useState<unknown>();
  const read = readJson(text);
  const isEdited = read.ok && printJson(read.value) !== before;
  const faults = read.ok ? checkSchema(job?.payload_schema, read.value) : [];
  const body = isEdited && read.ok ? { payload: read.value } : {};
  const replay = useChange<void, Run>({
    run: (_, send) => send("POST", `/v1/runs/${run.id}/replay`, body),
    outdates: ["/v1/runs"],
  });
  const submit = async () => {
    setError(undefined);
    try {
      const born = await replay.mutateAsync();
      toast({ title: isEdited ? "Replayed with edits" : "Run replayed" });
      onClose();
      history.push(at(`runs/${born.id}`));
    } catch (fault) {
      setError(fault);
    }
  };
  return (
    <Dialog
      open
      width="wide"
      onClose={onClose}
      title="Replay run"
      description="A new run of the same job, at its current version. This one stays as it is."
      footer={
        <>
          <Button onClick={onClose}>Back</Button>
          <Button
            kind="primary"
            busy={replay.isPending}
            refusal={refusalOf(read.ok, faults.length)}
            onClick={() => void submit()}
          >
            {isEdited ? "Replay with edits" : "Replay run"}
          </Button>
        </>
      }
    >
      <JsonEditor label="Payload" value={text} onChange={setText} faults={faults} rows={14} />
      <p className="text-ink-3 text-xs">
        {job?.payload_schema
          ? "Checked against the payload schema of the job."
          : "The job has no payload schema: any JSON will do."}
      </p>
      {isEdited && <Diff before={before} after={text} labels={["As it was", "Edited"]} />}
      {error !== undefined && <ErrorState error={error} as="banner" />}
      <details>
        <summary className="cursor-pointer text-ink-2 text-xs">As code</summary>
        <CodeBlock className="mt-2" code={codeOf({ method: "POST", path: `/v1/runs/${run.id}/replay`, body }).curl} />
      </details>
    </Dialog>
  );
}

function refusalOf(isJson: boolean, faults: number): string | undefined {
  if (!isJson) return "The payload is not JSON.";
  return faults > 0 ? "The payload does not fit the schema of the job." : undefined;
}

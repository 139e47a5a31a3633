import type { Job } from "@millrace/contract/jobs";
import type { Run } from "@millrace/contract/runs";
import type { TriggerJob } from "@millrace/contract/triggers";
import { FlaskConical, Play } from "lucide-react";
import { useState } from "react";
import { useRefusal } from "../../api/me.ts";
import { useChange } from "../../api/use-api.ts";
import { Button } from "../../parts/button.tsx";
import { CodeBlock } from "../../parts/code-block.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { ErrorState } from "../../parts/error-state.tsx";
import { JsonEditor, printJson, readJson } from "../../parts/json-editor.tsx";
import { toast } from "../../parts/toasts.tsx";
import { usePlace, useSearchParams } from "../../shell/place.ts";
import { codeOf } from "../code-of.ts";
import { checkSchema, sampleOf } from "../of-runs/check-schema.ts";
import { Payloads } from "./payloads.tsx";
import { TestRun } from "./test-run.tsx";
import { NO_OPTIONS, optionsOf, TriggerOptions } from "./trigger-options.tsx";

/** A payload on the left, the run that comes of it on the right, as it happens. */
export function TestTab({ job }: { job: Job }) {
  const [{ run }, change] = useSearchParams();
  const [text, setText] = useState(() => printJson(job.payload_schema ? sampleOf(job.payload_schema) : {}));
  const [options, setOptions] = useState(NO_OPTIONS);
  const [error, setError] = useState<unknown>();
  const refusal = useRefusal("jobs:trigger");
  const { environmentFilter } = usePlace();
  const read = readJson(text);
  const faults = read.ok ? checkSchema(job.payload_schema, read.value) : [];
  const path = `/v1/jobs/${job.id}/trigger`;
  const body: TriggerJob = {
    payload: read.ok ? read.value : undefined,
    ...(environmentFilter && { environment_id: environmentFilter }),
    ...optionsOf(options),
  };
  const trigger = useChange<boolean, Run>({
    run: (isDry, send) => send("POST", path, isDry ? { ...body, dry_run: true } : body),
    outdates: ["/v1/runs"],
  });
  const submit = async (isDry: boolean) => {
    setError(undefined);
    try {
      const born = await trigger.mutateAsync(isDry);
      if (isDry) toast({ title: "The service would accept this" });
      else change({ run: born.id }, { replace: true });
    } catch (fault) {
      setError(fault);
    }
  };
  const noTrigger =
    refusal ??
    (read.ok ? (faults.length > 0 ? "The payload does not fit the schema." : undefined) : "The payload is not JSON.");
  return (
    <div className="grid gap-6 lg:grid-cols-2">
      <form
        className="flex min-w-0 flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          if (noTrigger === undefined) void submit(false);
        }}
      >
        <Payloads
          job={job}
          payload={read.ok ? read.value : undefined}
          onPick={(payload) => setText(printJson(payload))}
        />
        <JsonEditor label="Payload" value={text} onChange={setText} faults={faults} rows={12} />
        <TriggerOptions options={options} onChange={setOptions} />
        {error !== undefined && <ErrorState error={error} as="banner" />}
        <div className="flex flex-wrap justify-end gap-2">
          <Button refusal={refusal} disabled={!read.ok} onClick={() => void submit(true)}>
            Check only
          </Button>
          <Button type="submit" kind="primary" icon={<Play size={14} />} busy={trigger.isPending} refusal={noTrigger}>
            Trigger
          </Button>
        </div>
        <details>
          <summary className="cursor-pointer text-ink-2 text-xs">As code</summary>
          <CodeBlock
            className="mt-2"
            code={codeOf({ method: "POST", path: `/v1/jobs/${job.slug}/trigger`, body }).curl}
          />
        </details>
      </form>
      <div className="min-w-0">
        {run ? (
          <TestRun id={run} />
        ) : (
          <EmptyState small icon={<FlaskConical size={20} />} title="Nothing triggered yet">
            The run appears here, with its timeline and its log, while it happens.
          </EmptyState>
        )}
      </div>
    </div>
  );
}

import type { Job } from "@millrace/contract/jobs";
import type { Run } from "@millrace/contract/runs";
import type { TriggerJob } from "@millrace/contract/triggers";
import { FlaskConical, Play } from "lucide-react";
import { useState } from "react";
import { useRefusal } from "../../api/me.ts";
import { asProblem } from "../../api/problem.ts";
import { useChange } from "../../api/use-api.ts";
import { Button } from "../../parts/button.tsx";
import { CodeBlock } from "../../parts/code-block.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { ErrorState } from "../../parts/error-state.tsx";
import { JsonEditor, printJson, readJson } from "../../parts/json-editor.tsx";
import { toast } from "../../parts/toasts.tsx";
import { usePlace, useSearchParams } from "../../shell/place.ts";
import { codeOf } from "../code-of.ts";
import { checkSchema, type SchemaFault, sampleOf } from "../of-runs/check-schema.ts";
import { suggestJson } from "../of-runs/suggest-json.ts";
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
  const schemaFaults = read.ok ? checkSchema(job.payload_schema, read.value) : [];
  const told = faultsOf(error);
  const faults = schemaFaults.length > 0 ? schemaFaults : told.filter(({ location }) => isOfPayload(location));
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
    (read.ok
      ? schemaFaults.length > 0
        ? "The payload does not fit the schema."
        : undefined
      : "The payload is not JSON.");
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
          onPick={(payload) => {
            setText(printJson(payload));
            setError(undefined);
          }}
        />
        <JsonEditor
          label="Payload"
          value={text}
          onChange={(next) => {
            setText(next);
            setError(undefined);
          }}
          faults={faults}
          rows={12}
          suggest={(given, caret) => suggestJson(job.payload_schema, given, caret)}
        />
        {job.payload_schema !== null && (
          <p className="-mt-1 text-ink-3 text-xs">Type " for the fields of the schema, or press Ctrl+Space.</p>
        )}
        <TriggerOptions options={options} onChange={setOptions} faults={told} />
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
          <TestRun key={run} id={run} endpoint={job.endpoint_url} />
        ) : (
          <EmptyState small icon={<FlaskConical size={20} />} title="Nothing triggered yet">
            The run appears here, with its timeline and its log, while it happens.
          </EmptyState>
        )}
      </div>
    </div>
  );
}

/** What the service said of single fields, as the form names them: `body.payload.order` is `payload.order`. */
function faultsOf(error: unknown): SchemaFault[] {
  if (error === undefined) return [];
  return asProblem(error).errors.map(({ location, message }) => ({
    location: location.replace(/^body\./, ""),
    message,
  }));
}

function isOfPayload(location: string): boolean {
  return /^payload(\.|\[|$)/.test(location);
}

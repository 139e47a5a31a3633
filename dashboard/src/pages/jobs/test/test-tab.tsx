import type { TriggerJob } from "@millrace/contract/events/triggers";
import type { Job } from "@millrace/contract/jobs/jobs";
import type { Run } from "@millrace/contract/runs/runs";
import { FlaskConical, Play } from "lucide-react";
import { useState } from "react";
import { useDisabledReason } from "../../../api/me.ts";
import { asProblem } from "../../../api/problem.ts";
import { useChange } from "../../../api/use-api.ts";
import { CodeFold } from "../../../parts/code/code-fold.tsx";
import { JsonEditor, printJson, readJson } from "../../../parts/code/json-editor.tsx";
import { Button } from "../../../parts/form/button.tsx";
import { useSubmit } from "../../../parts/form/use-submit.ts";
import { toast } from "../../../parts/overlay/toasts.tsx";
import { EmptyState } from "../../../parts/state/empty-state.tsx";
import { ErrorState } from "../../../parts/state/error-state.tsx";
import { invalidJson, schemaMismatch } from "../../../parts/state/messages.ts";
import { usePlace, useSearchParams } from "../../../shell/place/place.ts";
import { codeOf } from "../../code-of.ts";
import { checkSchema, type SchemaIssue, sampleOf } from "../../shared-runs/check-schema.ts";
import { suggestJson } from "../../shared-runs/suggest-json.ts";
import { Payloads } from "./payloads.tsx";
import { TestRun } from "./test-run.tsx";
import { NO_OPTIONS, optionsOf, TriggerOptions } from "./trigger-options.tsx";

/** Payload on the left, live view of the run on the right. */
export function TestTab({ job }: { job: Job }) {
  const [{ run }] = useSearchParams();
  return (
    <div className="grid gap-6 lg:grid-cols-2">
      <TestForm job={job} />
      <div className="min-w-0">
        {run ? (
          <TestRun key={run} id={run} endpoint={job.endpoint_url} />
        ) : (
          <EmptyState small icon={<FlaskConical size={20} />} title="No test run yet">
            The run appears here with its live timeline and log.
          </EmptyState>
        )}
      </div>
    </div>
  );
}

function TestForm({ job }: { job: Job }) {
  const { text, write, payload, options, setOptions, serverIssues, issues, body, error, isBusy, send } = useTest(job);
  const disabledReason = useDisabledReason("jobs:trigger");
  const noTrigger = disabledReason ?? disabledReasonOf(text, job);
  return (
    <form
      className="flex min-w-0 flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        if (noTrigger === undefined) void send(false);
      }}
    >
      <Payloads job={job} payload={payload} onPick={(picked) => write(printJson(picked))} />
      <JsonEditor
        label="Payload"
        value={text}
        onChange={write}
        issues={issues}
        rows={12}
        suggest={(given, caret) => suggestJson(job.payload_schema, given, caret)}
      />
      {job.payload_schema !== null && (
        <p className="-mt-1 text-ink-3 text-xs">Type " or press Ctrl+Space to complete schema fields.</p>
      )}
      <TriggerOptions options={options} onChange={setOptions} issues={serverIssues} />
      {error !== undefined && <ErrorState error={error} as="banner" />}
      <div className="flex flex-wrap justify-end gap-2">
        <Button disabledReason={disabledReason} disabled={!readJson(text).ok} onClick={() => void send(true)}>
          Validate
        </Button>
        <Button type="submit" kind="primary" icon={<Play size={14} />} busy={isBusy} disabledReason={noTrigger}>
          Trigger
        </Button>
      </div>
      <CodeFold code={codeOf({ method: "POST", path: `/v1/jobs/${job.slug}/trigger`, body }).curl} />
    </form>
  );
}

/** Form state, issues from the schema and from the service, and submit. */
function useTest(job: Job) {
  const [, change] = useSearchParams();
  const [text, setText] = useState(() => printJson(job.payload_schema ? sampleOf(job.payload_schema) : {}));
  const [options, setOptions] = useState(NO_OPTIONS);
  const { environmentFilter } = usePlace();
  const read = readJson(text);
  const payload = read.ok ? read.value : undefined;
  const schemaIssues = read.ok ? checkSchema(job.payload_schema, read.value) : [];
  const body: TriggerJob = {
    payload,
    ...(environmentFilter && { environment_id: environmentFilter }),
    ...optionsOf(options),
  };
  const trigger = useChange<boolean, Run>({
    run: (isDry, send) => send("POST", `/v1/jobs/${job.id}/trigger`, isDry ? { ...body, dry_run: true } : body),
    invalidates: ["/v1/runs"],
  });
  const sending = useSubmit(async (isDry: boolean) => {
    const created = await trigger.mutateAsync(isDry);
    if (isDry) toast({ title: "Payload is valid" });
    else change({ run: created.id }, { replace: true });
  });
  const write = (next: string) => {
    setText(next);
    sending.forget();
  };
  const serverIssues = issuesOf(sending.error);
  const issues = schemaIssues.length > 0 ? schemaIssues : serverIssues.filter(({ location }) => isOfPayload(location));
  return { text, write, payload, options, setOptions, serverIssues, issues, body, ...sending };
}

function disabledReasonOf(text: string, { payload_schema }: Job): string | undefined {
  const read = readJson(text);
  if (!read.ok) return invalidJson("payload");
  return checkSchema(payload_schema, read.value).length > 0 ? schemaMismatch("payload") : undefined;
}

/** Field errors of the service, named as in the form: `body.payload.order` becomes `payload.order`. */
function issuesOf(error: unknown): SchemaIssue[] {
  if (error === undefined) return [];
  return asProblem(error).errors.map(({ location, message }) => ({
    location: location.replace(/^body\./, ""),
    message,
  }));
}

function isOfPayload(location: string): boolean {
  return /^payload(\.|\[|$)/.test(location);
}

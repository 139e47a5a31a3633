import type { Job } from "@millrace/contract/jobs/jobs";
import { useMemo, useState } from "react";
import { useDisabledReason } from "../../../api/me.ts";
import { useChange } from "../../../api/use-api.ts";
import { CodeBlock } from "../../../parts/code/code-block.tsx";
import { Diff } from "../../../parts/code/diff.tsx";
import { JsonEditor, printJson, readJson } from "../../../parts/code/json-editor.tsx";
import { Button } from "../../../parts/form/button.tsx";
import { useSubmit } from "../../../parts/form/use-submit.ts";
import { Dialog } from "../../../parts/overlay/dialog.tsx";
import { ErrorState } from "../../../parts/state/error-state.tsx";
import { invalidJson } from "../../../parts/state/messages.ts";
import { codeOf, shellQuoted } from "../../code-of.ts";
import { SettingsForm } from "./settings-form.tsx";
import { changesOf, settableOf } from "./settings-of.ts";
import { useSettingIssues } from "./use-setting-issues.ts";

/** Settings as a form and as JSON, kept in sync. Changes are reviewed before they are saved. */
export function SettingsTab({ job }: { job: Job }) {
  const before = useMemo(() => settableOf(job), [job]);
  const [text, setText] = useState(() => printJson(before));
  const [isReviewing, setReviewing] = useState(false);
  const disabledReason = useDisabledReason("jobs:write");
  const read = readJson(text);
  const after = read.ok ? (read.value as Record<string, unknown>) : undefined;
  const changes = after ? changesOf(before, after) : {};
  const isChanged = Object.keys(changes).length > 0;
  const issues = useSettingIssues(changes);
  return (
    <div className="grid grid-cols-1 gap-6 lg:grid-cols-[minmax(280px,360px)_1fr]">
      {after ? (
        <SettingsForm settings={after} onChange={(changed) => setText(printJson({ ...after, ...changed }))} />
      ) : (
        <p className="text-ink-3">The form is available when the JSON is valid.</p>
      )}
      <div className="flex flex-col gap-3">
        <JsonEditor
          label="JSON"
          value={text}
          onChange={setText}
          rows={24}
          issues={issues.found}
          suggest={issues.suggest}
        />
        <div className="flex justify-end gap-2">
          <Button disabled={text === printJson(before)} onClick={() => setText(printJson(before))}>
            Discard changes
          </Button>
          <Button
            kind="primary"
            disabledReason={disabledReason ?? disabledReasonOf(after !== undefined, isChanged, issues.found.length > 0)}
            onClick={() => setReviewing(true)}
          >
            Review changes
          </Button>
        </div>
      </div>
      {isReviewing && after && (
        <Review job={job} before={before} after={after} changes={changes} onClose={() => setReviewing(false)} />
      )}
    </div>
  );
}

function disabledReasonOf(isJson: boolean, isChanged: boolean, hasIssues: boolean): string | undefined {
  if (!isJson) return invalidJson("configuration");
  if (hasIssues) return "A setting is invalid. See the errors below the JSON.";
  return isChanged ? undefined : "No changes to save.";
}

type ReviewProps = {
  job: Job;
  before: Record<string, unknown>;
  after: Record<string, unknown>;
  changes: Record<string, unknown>;
  onClose: () => void;
};

function Review({ job, before, after, changes, onClose }: ReviewProps) {
  const path = `/v1/jobs/${job.id}`;
  const save = useChange({
    run: (_, send) => send("PATCH", path, changes),
    done: "Job saved",
    invalidates: ["/v1/jobs"],
  });
  const { error, isBusy, send } = useSubmit(() => save.mutateAsync().then(onClose));
  return (
    <Dialog
      open
      width="wide"
      onClose={onClose}
      title="Save these changes?"
      description="Settings that affect how runs execute create a new version. Existing runs keep theirs."
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" busy={isBusy} onClick={() => void send()}>
            Save job
          </Button>
        </>
      }
    >
      <Diff before={before} after={after} labels={["Current", "New"]} />
      {error !== undefined && <ErrorState error={error} as="banner" />}
      <CodeBlock title="API request" code={codeOf({ method: "PATCH", path, body: changes }).curl} />
      <CodeBlock title="CLI command" code={`millrace api PATCH ${path} -d ${shellQuoted(JSON.stringify(changes))}`} />
    </Dialog>
  );
}

import type { Approval } from "@millrace/contract/workflows/approvals";
import { useState } from "react";
import { asProblem } from "../../api/problem.ts";
import { useChange } from "../../api/use-api.ts";
import { FormDialog } from "../../parts/form/form-dialog.tsx";
import { ProseField } from "../../parts/form/prose-field.tsx";
import { plural } from "../../parts/format.ts";
import { toast } from "../../parts/overlay/toasts.tsx";

export type Verdict = "approve" | "reject";
type Props = { approvals: readonly Approval[]; verdict: Verdict; onClose: () => void; onDone: () => void };

/** Approves or rejects one or several steps, with one comment. A decision cannot be undone. */
export function DecideDialog({ approvals, verdict, onClose, onDone }: Props) {
  const [comment, setComment] = useState("");
  const decide = useDecide(verdict, comment.trim());
  const isOne = approvals.length === 1;
  const verb = verdict === "approve" ? "Approve" : "Reject";
  const submit = async () => {
    const failures = await decide.mutateAsync(approvals);
    report(verdict, approvals.length, failures);
    onDone();
    onClose();
  };
  return (
    <FormDialog
      title={isOne ? `${verb} ${approvals[0]?.step_ref}?` : `${verb} ${plural(approvals.length, "step")}?`}
      action={isOne ? `${verb} step` : `${verb} ${plural(approvals.length, "step")}`}
      danger={verdict === "reject"}
      onClose={onClose}
      onSubmit={submit}
    >
      <ul className="flex max-h-60 flex-col gap-2 overflow-y-auto">
        {approvals.map(({ id, workflow_name, step_ref, message }) => (
          <li key={id} className="rounded-sm border px-3 py-2">
            <p className="text-ink-2 text-xs">
              {workflow_name} · {step_ref}
            </p>
            {message && <p className="whitespace-pre-wrap break-words">{message}</p>}
          </li>
        ))}
      </ul>
      <ProseField
        label="Comment"
        maxLength={2_000}
        placeholder="Optional, stored with the decision"
        value={comment}
        onChange={setComment}
      />
      <p className="text-ink-2">
        {verdict === "approve"
          ? "The step completes, and the steps after it start. This cannot be undone."
          : "The step fails, and its workflow continues or fails as it defines. The step can be retried later."}
      </p>
    </FormDialog>
  );
}

/** Sends one request after another; a failure does not stop the rest. Resolves to the failures. */
function useDecide(verdict: Verdict, comment: string) {
  return useChange<readonly Approval[], string[]>({
    run: async (approvals, send) => {
      const failures: string[] = [];
      for (const { workflow_run_id, step_ref } of approvals) {
        const path = `/v1/workflow-runs/${workflow_run_id}/steps/${encodeURIComponent(step_ref)}/${verdict}`;
        await send("POST", path, comment === "" ? {} : { comment }).catch((error) => {
          if (approvals.length === 1) throw error;
          failures.push(`${step_ref}: ${asProblem(error).message}`);
        });
      }
      return failures;
    },
    invalidates: ["/v1/approvals", "/v1/events", "/v1/workflow-runs"],
  });
}

function report(verdict: Verdict, count: number, failures: string[]): void {
  const done = `${verdict === "approve" ? "Approved" : "Rejected"} ${plural(count - failures.length, "step")}`;
  if (failures.length === 0) toast({ title: done });
  else toast({ tone: "warn", title: `${done}; ${failures.length} failed`, detail: failures.slice(0, 3).join("\n") });
}

import type { Member } from "@millrace/contract/access/members";
import type { ErrorIssue } from "@millrace/contract/alerts/error-issues";
import { useId } from "react";
import { useMay, useMe } from "../../api/me.ts";
import { useApiList, useChange } from "../../api/use-api.ts";
import { FormDialog } from "../../parts/form/form-dialog.tsx";
import { TextField } from "../../parts/form/text-field.tsx";

/** Any name can be assigned. Members are suggested to those who may read them. */
export function AssignIssue({ issue, onClose }: { issue: ErrorIssue; onClose: () => void }) {
  const list = useId();
  const { data: me } = useMe();
  const members = useApiList<Member>("/v1/members", { limit: 100 }, useMay("access:read"));
  const names = new Set([
    ...(me?.name ? [me.name] : []),
    ...(members.rows ?? []).map(({ name, subject }) => name ?? subject),
  ]);
  const assign = useChange<string | null, ErrorIssue>({
    run: (assigned_to, send) => send("POST", `/v1/error-issues/${issue.id}/assign`, { assigned_to }),
    done: ({ assigned_to }) => (assigned_to === null ? "Issue unassigned" : `Issue assigned to ${assigned_to}`),
    invalidates: ["/v1/error-issues"],
    onDone: onClose,
  });
  return (
    <FormDialog
      onClose={onClose}
      width="narrow"
      title="Assign issue"
      action="Assign issue"
      onSubmit={(form) => assign.mutateAsync(String(form.get("assigned_to")).trim() || null)}
    >
      <TextField
        label="Assigned to"
        hint="A person or a team. Leave empty for nobody."
        name="assigned_to"
        maxLength={200}
        autoComplete="off"
        list={list}
        defaultValue={issue.assigned_to ?? ""}
      />
      <datalist id={list}>
        {[...names].map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </FormDialog>
  );
}

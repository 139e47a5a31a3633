import type { MemberResults } from "@millrace/contract/access/members";
import { useState } from "react";
import { useChange } from "../../api/use-api.ts";
import { CodeEditor } from "../../parts/code/editor/code-editor.tsx";
import { Button } from "../../parts/form/button.tsx";
import { type Choice, ChoiceField } from "../../parts/form/choice-field.tsx";
import { FormDialog } from "../../parts/form/form-dialog.tsx";
import { FormField } from "../../parts/form/form-field.tsx";
import { plural } from "../../parts/format.ts";
import { StatusMark } from "../../parts/state/status-mark.tsx";
import { parseMembers } from "./parse-members.ts";
import { useRoles } from "./roles-tab.tsx";

const MAX = 100;
const LOOKS = { created: "completed", updated: "completed", unchanged: "skipped", failed: "failed" };

/** Assigns one or many members, one per line; each line has its own result. */
export function AssignMembers({ onClose }: { onClose: () => void }) {
  const roles = useRoles().data?.data ?? [];
  const [role, setRole] = useState("viewer");
  const [text, setText] = useState("");
  const members = parseMembers(text, role);
  const assign = useChange<typeof members, MemberResults>({
    run: (all, send) => send<MemberResults>("POST", "/v1/members/bulk", { members: all }),
    invalidates: ["/v1/members"],
  });
  const failed = (assign.data?.results ?? [])
    .filter(({ status }) => status === "failed")
    .flatMap(({ index }) => assign.variables?.[index] ?? []);
  const keepFailed = () => {
    setText(failed.map(lineOf).join("\n"));
    assign.reset();
  };
  return (
    <FormDialog
      onClose={onClose}
      title="Assign members"
      description="Existing members are moved to the new role."
      action={`Assign ${members.length === 0 ? "members" : plural(members.length, "member")}`}
      back={assign.data ? "Done" : "Cancel"}
      disabledReason={disabledReasonOf(members.length)}
      onSubmit={() => assign.mutateAsync(members)}
    >
      <ChoiceField
        label="Role"
        choices={[...new Set([role, ...roles.map(({ name }) => name)])].map((name): Choice => [name, name])}
        value={role}
        onChange={setRole}
      />
      <Subjects text={text} onChange={setText} />
      {assign.data && <Results results={assign.data.results} />}
      {failed.length > 0 && (
        <Button size="small" className="self-start" onClick={keepFailed}>
          Keep only rejected lines
        </Button>
      )}
    </FormDialog>
  );
}

function disabledReasonOf(count: number): string | undefined {
  if (count === 0) return "Enter at least one subject.";
  return count > MAX ? `At most ${MAX} members at a time.` : undefined;
}

/** Typed in, or loaded from a file. */
function Subjects({ text, onChange }: { text: string; onChange: (text: string) => void }) {
  return (
    <>
      <FormField label="CSV file" hint="Lines are loaded into the field below for review.">
        {(ids) => (
          <input
            {...ids}
            type="file"
            accept=".csv,text/csv,text/plain"
            className="text-ink-2 text-xs file:mr-3 file:h-8 file:cursor-pointer file:rounded-sm file:border file:border-border file:bg-bg file:px-3 file:font-medium file:text-ink file:text-sm"
            onChange={(event) => void event.target.files?.[0]?.text().then(onChange)}
          />
        )}
      </FormField>
      <CodeEditor
        label="Subjects"
        language="text"
        rows={5}
        hint="One per line: subject, or subject,role,name as CSV."
        placeholder={"alice@example.com\nbob@example.com,operator,Bob"}
        value={text}
        onChange={onChange}
      />
    </>
  );
}

function lineOf({ subject, role_id, name = "" }: ReturnType<typeof parseMembers>[number]): string {
  return [subject, role_id, name]
    .map((cell) => (/[",]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell))
    .join(",");
}

function Results({ results }: { results: MemberResults["results"] }) {
  return (
    <ul aria-label="Results" className="max-h-44 divide-y overflow-y-auto rounded-sm border">
      {results.map(({ index, subject, status, error }) => (
        <li key={index} className="flex items-center gap-2 px-3 py-1.5">
          <StatusMark status={LOOKS[status]} label={status} />
          <code className="min-w-0 truncate font-mono text-xs">{subject}</code>
          {error && <span className="min-w-0 flex-1 truncate text-ink-2 text-xs">{error}</span>}
        </li>
      ))}
    </ul>
  );
}

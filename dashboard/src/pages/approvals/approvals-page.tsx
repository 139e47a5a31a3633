import type { ApiKey } from "@millrace/contract/access/api-keys";
import type { Member } from "@millrace/contract/access/members";
import type { Approval } from "@millrace/contract/workflows/approvals";
import { useRouter } from "@tanstack/react-router";
import { Check, Stamp, X } from "lucide-react";
import { useCallback, useMemo, useState } from "react";
import { withQuery } from "../../api/call.ts";
import { useMay } from "../../api/me.ts";
import { type Page, useApi } from "../../api/use-api.ts";
import { AsCode } from "../../parts/code/as-code.tsx";
import { Button } from "../../parts/form/button.tsx";
import { IconButton } from "../../parts/form/icon-button.tsx";
import { plural } from "../../parts/format.ts";
import { useShortcut } from "../../parts/overlay/use-shortcut.ts";
import { EmptyState } from "../../parts/state/empty-state.tsx";
import { ListPage } from "../../parts/table/list-page.tsx";
import { Segments } from "../../parts/tabs.tsx";
import { usePlace, useSearchParams } from "../../shell/place/place.ts";
import { codeOf } from "../code-of.ts";
import { approvalColumns } from "./approval-columns.tsx";
import { DecideDialog, type Verdict } from "./decide-dialog.tsx";
import { useApprovals } from "./use-approvals.ts";

type Deciding = { approvals: readonly Approval[]; verdict: Verdict };
const NONE: ReadonlySet<string> = new Set();

/** Steps that wait for a decision, with the decision on the row. */
export default function ApprovalsPage() {
  const [{ whose = "mine", run }, change] = useSearchParams();
  const { at } = usePlace();
  const { history } = useRouter();
  const { list, query } = useApprovals(whose !== "all", run);
  const [selection, setSelection] = useState(NONE);
  const [deciding, setDeciding] = useState<Deciding>();
  const nameOf = useNames();
  const href = useCallback(
    (each: Approval) => at(`workflow-runs/${each.workflow_run_id}`, { step: each.step_ref }),
    [at],
  );
  const columns = useMemo(
    () => approvalColumns({ href, nameOf, onDecide: (each, verdict) => setDeciding({ approvals: [each], verdict }) }),
    [href, nameOf],
  );
  const selected = (list.rows ?? []).filter(({ id, may_decide }) => selection.has(id) && may_decide);
  const decide = (verdict: Verdict) => selected.length > 0 && setDeciding({ approvals: selected, verdict });
  useShortcut("a", () => decide("approve"));
  return (
    <ListPage
      title="Approvals"
      label="Approvals"
      actions={<AsCode about="Approvals" code={codeOf({ method: "GET", path: withQuery("/v1/approvals", query) })} />}
      toolbar={
        <>
          <Segments
            label="Approver"
            value={whose === "all" ? "all" : "mine"}
            options={[
              { id: "mine", label: "Mine" },
              { id: "all", label: "All" },
            ]}
            onChange={(id) => change({ whose: id === "all" ? "all" : undefined })}
          />
          {run && (
            <Button size="small" icon={<X size={13} />} onClick={() => change({ run: undefined })}>
              This workflow run only
            </Button>
          )}
        </>
      }
      list={list}
      columns={columns}
      selection={selection}
      onSelect={setSelection}
      onOpen={(each) => history.push(href(each))}
      empty={<NoApprovals isMine={whose !== "all"} />}
      footer={
        selection.size > 0 && <BulkBar count={selected.length} onDecide={decide} onClear={() => setSelection(NONE)} />
      }
    >
      {deciding && (
        <DecideDialog {...deciding} onClose={() => setDeciding(undefined)} onDone={() => setSelection(NONE)} />
      )}
    </ListPage>
  );
}

function BulkBar({
  count,
  onDecide,
  onClear,
}: {
  count: number;
  onDecide: (verdict: Verdict) => void;
  onClear: () => void;
}) {
  const reason = count === 0 ? "You cannot decide any of these steps." : undefined;
  useShortcut("esc", onClear);
  return (
    <section
      aria-label="Selected approvals"
      className="flex flex-none flex-wrap items-center gap-2 border-t bg-selected px-3 py-2 sm:px-4 lg:px-6"
    >
      <span className="font-medium">{plural(count, "step")} selected</span>
      <span className="ml-auto flex items-center gap-2">
        <Button
          size="small"
          kind="primary"
          icon={<Check size={13} />}
          disabledReason={reason}
          onClick={() => onDecide("approve")}
        >
          Approve
        </Button>
        <Button size="small" icon={<X size={13} />} disabledReason={reason} onClick={() => onDecide("reject")}>
          Reject
        </Button>
        <IconButton size="small" label="Clear selection" keys="esc" icon={<X size={14} />} onClick={onClear} />
      </span>
    </section>
  );
}

const MANY = { limit: 100 };

/** Steps name keys by id and members by subject. */
function useNames(): (approver: string) => string {
  const keys = useApi<Page<ApiKey>>("/v1/api-keys", MANY, useMay("api-keys:read")).data;
  const members = useApi<Page<Member>>("/v1/members", MANY, useMay("access:read")).data;
  return useMemo(() => {
    const names = new Map([
      ...(keys?.data ?? []).map(({ id, name }) => [id, name] as const),
      ...(members?.data ?? []).map(({ subject, name }) => [subject, name ?? subject] as const),
    ]);
    return (approver) => names.get(approver) ?? approver;
  }, [keys, members]);
}

function NoApprovals({ isMine }: { isMine: boolean }) {
  return (
    <EmptyState
      icon={<Stamp size={20} />}
      title={isMine ? "Nothing is waiting for your approval" : "Nothing is waiting for approval"}
    >
      Approval steps of workflow runs are listed here until someone approves or rejects them.
    </EmptyState>
  );
}

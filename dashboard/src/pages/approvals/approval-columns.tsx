import type { Approval } from "@millrace/contract/workflows/approvals";
import { Check, X } from "lucide-react";
import { Button } from "../../parts/form/button.tsx";
import { Link } from "../../parts/link.tsx";
import { Countdown } from "../../parts/state/countdown.tsx";
import { StatusMark } from "../../parts/state/status-mark.tsx";
import type { Column } from "../../parts/table/table-columns.tsx";
import { Time } from "../../parts/time.tsx";
import type { Verdict } from "./decide-dialog.tsx";

type Shown = {
  href: (approval: Approval) => string;
  nameOf: (approver: string) => string;
  onDecide: (approval: Approval, verdict: Verdict) => void;
};

export function approvalColumns({ href, nameOf, onDecide }: Shown): Column<Approval>[] {
  return [
    {
      id: "message",
      header: "Message",
      width: "minmax(200px, 2fr)",
      narrow: "title",
      cell: ({ message, step_ref }) => (
        <span className="flex min-w-0 items-center gap-2">
          <StatusMark status="waiting" label="Waiting for approval" as="mark" />
          <span className="truncate font-medium" title={message ?? undefined}>
            {message ?? step_ref}
          </span>
        </span>
      ),
    },
    {
      id: "workflow",
      header: "Workflow",
      width: "minmax(160px, 1fr)",
      narrow: "meta",
      cell: (approval) => (
        <Link href={href(approval)} tabIndex={-1} className="block truncate hover:text-accent hover:underline">
          {approval.workflow_name} <span className="text-ink-3">{approval.step_ref}</span>
        </Link>
      ),
    },
    {
      id: "approvers",
      header: "Approvers",
      width: "minmax(120px, 1fr)",
      hidePriority: 2,
      cell: ({ approvers }) => (approvers.length === 0 ? "Anyone" : approvers.map(nameOf).join(", ")),
    },
    {
      id: "since",
      header: "Waiting since",
      width: "104px",
      hidePriority: 1,
      cell: ({ requested_at }) => <Time at={requested_at} className="text-ink-2" />,
    },
    {
      id: "expires",
      header: "Expires",
      width: "148px",
      hidePriority: 3,
      cell: ({ expires_at, requested_at }) => <Countdown until={expires_at} from={requested_at} />,
    },
    {
      id: "action",
      header: "Action",
      width: "184px",
      narrow: "end",
      cell: (approval) => <Decision approval={approval} onDecide={onDecide} />,
    },
  ];
}

function Decision({ approval, onDecide }: { approval: Approval; onDecide: Shown["onDecide"] }) {
  const reason = approval.may_decide ? undefined : "You are not among the approvers of this step.";
  const decide = (verdict: Verdict) => (event: { stopPropagation: () => void }) => {
    event.stopPropagation();
    onDecide(approval, verdict);
  };
  return (
    <span className="flex gap-1.5">
      <Button
        size="small"
        kind="primary"
        icon={<Check size={13} />}
        disabledReason={reason}
        onClick={decide("approve")}
      >
        Approve
      </Button>
      <Button size="small" icon={<X size={13} />} disabledReason={reason} onClick={decide("reject")}>
        Reject
      </Button>
    </span>
  );
}

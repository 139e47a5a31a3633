import type { ApiKey } from "@millrace/contract/access/api-keys";
import type { Member } from "@millrace/contract/access/members";
import type { EventTrigger } from "@millrace/contract/events/events";
import type { WorkflowRun } from "@millrace/contract/workflows/workflow-runs";
import type { WorkflowStep } from "@millrace/contract/workflows/workflow-steps";
import { Check, X } from "lucide-react";
import { useState } from "react";
import { useDisabledReason, useMay } from "../../../api/me.ts";
import { type Page, useApi, useChange } from "../../../api/use-api.ts";
import { Section } from "../../../parts/facts.tsx";
import { Button } from "../../../parts/form/button.tsx";
import { ProseField } from "../../../parts/form/prose-field.tsx";
import { Countdown } from "../../../parts/state/countdown.tsx";
import { effectOf } from "../../shared-workflows/step-kinds.ts";
import type { GraphNode } from "../use-workflow-run.ts";

type Props = {
  run: WorkflowRun;
  node: GraphNode;
  wait: EventTrigger | undefined;
  definition: WorkflowStep | undefined;
};

/** Approve or reject a waiting step. */
export function ApprovalPanel({ run, node, wait, definition }: Props) {
  const [comment, setComment] = useState("");
  const noScope = useDisabledReason("workflows:write");
  const decide = useChange<"approve" | "reject">({
    run: (verb, send) =>
      send("POST", `/v1/workflow-runs/${run.id}/steps/${encodeURIComponent(node.step_ref)}/${verb}`, {
        ...(comment.trim() !== "" && { comment: comment.trim() }),
      }),
    done: (_, verb) => (verb === "approve" ? "Approved" : "Rejected"),
    invalidates: ["/v1/workflow-runs", "/v1/events"],
  });
  if (node.status !== "waiting") return null;
  return (
    <Section title="Waiting for approval">
      <div className="card flex flex-col gap-3 px-3 py-3">
        {node.message && <p className="whitespace-pre-wrap">{node.message}</p>}
        <div className="flex flex-wrap items-center justify-between gap-2 text-ink-2 text-xs">
          <span>{definition && <WhoDecides step={definition} />}</span>
          {wait && <Countdown until={wait.expires_at} from={wait.requested_at} />}
        </div>
        <ProseField
          label="Comment"
          maxLength={2_000}
          placeholder="Optional, stored with the decision"
          value={comment}
          onChange={setComment}
        />
        <div className="grid grid-cols-2 gap-2">
          <Button
            icon={<X size={14} />}
            disabledReason={noScope}
            busy={decide.isPending && decide.variables === "reject"}
            onClick={() => decide.mutate("reject")}
          >
            Reject
          </Button>
          <Button
            kind="primary"
            icon={<Check size={14} />}
            disabledReason={noScope}
            busy={decide.isPending && decide.variables === "approve"}
            onClick={() => decide.mutate("approve")}
          >
            Approve
          </Button>
        </div>
        {definition && <p className="text-ink-3 text-xs">If rejected, {effectOf(definition.on_failure)}.</p>}
      </div>
    </Section>
  );
}

/** Steps reference keys by id and members by subject. */
function WhoDecides({ step: { approvers = [] } }: { step: WorkflowStep }) {
  const isNamed = approvers.length > 0;
  const keys = useApi<Page<ApiKey>>("/v1/api-keys", MANY, useMay("api-keys:read") && isNamed).data;
  const members = useApi<Page<Member>>("/v1/members", MANY, useMay("access:read") && isNamed).data;
  if (!isNamed) return "Anyone with the workflows:write scope can decide.";
  const nameOf = (approver: string) =>
    keys?.data.find(({ id }) => id === approver)?.name ??
    members?.data.find(({ subject }) => subject === approver)?.name ??
    approver;
  return `Approvers: ${approvers.map(nameOf).join(", ")}`;
}

const MANY = { limit: 100 };

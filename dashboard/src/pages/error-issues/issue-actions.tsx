import type { ErrorIssue } from "@millrace/contract/alerts/error-issues";
import { BadgeCheck, CircleSlash, RotateCcw, UserRound } from "lucide-react";
import { useState } from "react";
import { useDisabledReason } from "../../api/me.ts";
import { useChange } from "../../api/use-api.ts";
import { Button } from "../../parts/form/button.tsx";
import { useCommands } from "../../shell/command-menu/commands.ts";
import { AssignIssue } from "./assign-issue.tsx";
import { ReplayIssue } from "./replay-issue.tsx";

type Verb = "resolve" | "ignore" | "reopen";

const DONE: Record<Verb, string> = {
  resolve: "Issue resolved. The next failure reopens it.",
  ignore: "Issue ignored",
  reopen: "Issue reopened",
};

/** Assign, replay, resolve, ignore, reopen. */
export function IssueActions({ issue }: { issue: ErrorIssue }) {
  const disabledReason = useDisabledReason("analytics:write");
  const noReplay = useDisabledReason("runs:write");
  const [open, setOpen] = useState<"assign" | "replay">();
  const change = useChange<Verb, ErrorIssue>({
    run: (verb, send) => send("POST", `/v1/error-issues/${issue.id}/${verb}`),
    done: (_, verb) => DONE[verb],
    undo: (verb) => (verb === "reopen" ? undefined : "reopen"),
    invalidates: ["/v1/error-issues"],
  });
  const verbs: Verb[] = issue.status === "open" ? ["resolve", "ignore"] : ["reopen"];
  useCommands([
    { label: "Assign issue", run: () => disabledReason ?? setOpen("assign") },
    { label: "Replay runs of this issue", run: () => noReplay ?? setOpen("replay") },
    ...verbs.map((verb) => ({ label: `${LABELS[verb]} issue`, run: () => disabledReason ?? change.mutate(verb) })),
  ]);
  return (
    <>
      <Button icon={<UserRound size={14} />} disabledReason={disabledReason} onClick={() => setOpen("assign")}>
        Assign
      </Button>
      <Button icon={<RotateCcw size={14} />} disabledReason={noReplay} onClick={() => setOpen("replay")}>
        Replay runs
      </Button>
      {verbs.map((verb) => (
        <Button
          key={verb}
          kind={verb === "resolve" ? "primary" : "default"}
          icon={verb === "ignore" ? <CircleSlash size={14} /> : <BadgeCheck size={14} />}
          busy={change.isPending && change.variables === verb}
          disabledReason={disabledReason}
          onClick={() => change.mutate(verb)}
        >
          {LABELS[verb]}
        </Button>
      ))}
      {open === "assign" && <AssignIssue issue={issue} onClose={() => setOpen(undefined)} />}
      {open === "replay" && <ReplayIssue issue={issue} onClose={() => setOpen(undefined)} />}
    </>
  );
}

const LABELS: Record<Verb, string> = { resolve: "Resolve", ignore: "Ignore", reopen: "Reopen" };

import type { Job } from "@millrace/contract/jobs";
import type { Run } from "@millrace/contract/runs";
import { Ban, Download, Ellipsis, Link2, Pause, Play, RotateCcw, Skull, Trash2 } from "lucide-react";
import { useState } from "react";
import { useRefusal } from "../../api/me.ts";
import { useChange } from "../../api/use-api.ts";
import { Button } from "../../parts/button.tsx";
import { ConfirmDialog, TypedConfirm } from "../../parts/confirm-dialog.tsx";
import { copyText } from "../../parts/copy-text.ts";
import { downloadText } from "../../parts/download.ts";
import { IconButton } from "../../parts/icon-button.tsx";
import { Menu, type MenuItem } from "../../parts/menu.tsx";
import { toast } from "../../parts/toasts.tsx";
import { useShortcut } from "../../parts/use-shortcut.ts";
import { useCommands } from "../../shell/commands.ts";
import { ENDED } from "../of-runs/use-run.ts";
import { ReplayRun } from "./replay-run.tsx";

type Asked = "cancel" | "replay" | "erase";

/** Replay, cancel and the rest. What cannot be done now says why. */
export function RunActions({ run, job }: { run: Run; job: Job | undefined }) {
  const [asked, setAsked] = useState<Asked>();
  const noScope = useRefusal("runs:write");
  const hasEnded = ENDED.has(run.status);
  const noReplay = noScope ?? (hasEnded ? undefined : "It has not ended. Cancel it first, or wait.");
  const noCancel = noScope ?? (hasEnded ? "It has ended." : undefined);
  const path = `/v1/runs/${run.id}`;
  const act = useChange<{ verb: string; done: string }>({
    run: ({ verb }, send) => send("POST", `${path}/${verb}`, {}),
    done: (_, { done }) => done,
    outdates: ["/v1/runs"],
  });
  const erase = useChange({
    run: (_, send) => send("DELETE", `${path}/data`),
    done: "Payload, result and logs deleted",
    outdates: ["/v1/runs", "/v1/logs"],
  });
  const cancel = useChange({
    run: (_, send) => send("POST", `${path}/cancel`, {}),
    done: "Run canceled",
    outdates: ["/v1/runs"],
  });
  useShortcut("r", () => noReplay ?? setAsked("replay"));
  useShortcut("c", () => noCancel ?? setAsked("cancel"));
  useCommands([
    { label: "Replay this run", keys: "r", run: () => noReplay ?? setAsked("replay") },
    { label: "Cancel this run", keys: "c", run: () => noCancel ?? setAsked("cancel") },
  ]);
  const isPaused = run.status === "paused" || run.pause_requested;
  const items: MenuItem[] = [
    isPaused
      ? {
          label: "Resume",
          icon: <Play size={14} />,
          refusal: noScope,
          onSelect: () => act.mutate({ verb: "resume", done: "Run resumed" }),
        }
      : {
          label: "Pause",
          icon: <Pause size={14} />,
          refusal: noCancel,
          onSelect: () => act.mutate({ verb: "pause", done: "Pause asked for" }),
        },
    {
      label: "Take off the dead-letter list",
      icon: <Skull size={14} />,
      refusal: noScope ?? (run.dead_lettered_at ? undefined : "It is not on the dead-letter list."),
      onSelect: () => act.mutate({ verb: "discard", done: "Taken off the dead-letter list" }),
    },
    { kind: "line" },
    {
      label: "Copy link",
      icon: <Link2 size={14} />,
      onSelect: () => void copyText(location.href).then((ok) => ok && toast({ title: "Link copied" })),
    },
    {
      label: "Download as JSON",
      icon: <Download size={14} />,
      onSelect: () => downloadText(`run-${run.id}.json`, JSON.stringify(run, null, 2), "application/json"),
    },
    { kind: "line" },
    {
      label: "Delete its data",
      icon: <Trash2 size={14} />,
      danger: true,
      refusal: noScope ?? (hasEnded ? undefined : "It has not ended."),
      onSelect: () => setAsked("erase"),
    },
  ];
  const close = () => setAsked(undefined);
  return (
    <>
      <Button icon={<Ban size={14} />} refusal={noCancel} onClick={() => setAsked("cancel")}>
        Cancel
      </Button>
      <Button kind="primary" icon={<RotateCcw size={14} />} refusal={noReplay} onClick={() => setAsked("replay")}>
        Replay
      </Button>
      <Menu
        label="More"
        align="end"
        width={240}
        items={items}
        trigger={<IconButton label="More" icon={<Ellipsis size={16} />} />}
      />
      {asked === "replay" && <ReplayRun run={run} job={job} onClose={close} />}
      <ConfirmDialog
        open={asked === "cancel"}
        danger
        onClose={close}
        title="Cancel this run?"
        action="Cancel run"
        onConfirm={() => cancel.mutateAsync()}
      >
        <p>
          The run ends as canceled, with those it spawned. A job that is at work is told so at its next sign of life.
        </p>
      </ConfirmDialog>
      <TypedConfirm
        open={asked === "erase"}
        typed={run.id.slice(-6)}
        onClose={close}
        title="Delete the data of this run?"
        action="Delete data"
        onConfirm={() => erase.mutateAsync()}
      >
        <p>
          Payload, result, logs and what else it told are deleted for good. That the run was, and how it ended, stays.
        </p>
      </TypedConfirm>
    </>
  );
}

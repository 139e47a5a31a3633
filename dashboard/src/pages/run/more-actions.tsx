import type { Run } from "@millrace/contract/runs/runs";
import { Download, Ellipsis, Link2, Pause, Play, Skull, Trash2 } from "lucide-react";
import { useChange } from "../../api/use-api.ts";
import { copyText } from "../../parts/code/copy-text.ts";
import { downloadText } from "../../parts/code/download.ts";
import { IconButton } from "../../parts/form/icon-button.tsx";
import { Menu, type MenuItem } from "../../parts/overlay/menu.tsx";
import { toast } from "../../parts/overlay/toasts.tsx";
import { ENDED } from "../shared-runs/use-run.ts";

type Props = { run: Run; noScope: string | undefined; noCancel: string | undefined; onErase: () => void };

/** Less common actions. */
export function MoreActions({ run, noScope, noCancel, onErase }: Props) {
  const act = useChange<{ verb: string; done: string }>({
    run: ({ verb }, send) => send("POST", `/v1/runs/${run.id}/${verb}`, {}),
    done: (_, { done }) => done,
    invalidates: ["/v1/runs"],
  });
  const isPaused = run.status === "paused" || run.pause_requested;
  const items: MenuItem[] = [
    {
      label: isPaused ? "Resume" : "Pause",
      icon: isPaused ? <Play size={14} /> : <Pause size={14} />,
      disabledReason: isPaused ? noScope : noCancel,
      onSelect: () =>
        act.mutate(isPaused ? { verb: "resume", done: "Run resumed" } : { verb: "pause", done: "Pause requested" }),
    },
    {
      label: "Discard dead letter",
      icon: <Skull size={14} />,
      disabledReason: noScope ?? (run.dead_lettered_at ? undefined : "The run is not in the dead-letter queue."),
      onSelect: () => act.mutate({ verb: "discard", done: "Removed from the dead-letter queue" }),
    },
    { kind: "line" },
    ...exportItems(run),
    { kind: "line" },
    {
      label: "Delete run data",
      icon: <Trash2 size={14} />,
      danger: true,
      disabledReason: noScope ?? (ENDED.has(run.status) ? undefined : "The run has not finished."),
      onSelect: onErase,
    },
  ];
  return (
    <Menu
      label="More"
      align="end"
      width={240}
      items={items}
      trigger={<IconButton label="More" icon={<Ellipsis size={16} />} />}
    />
  );
}

function exportItems(run: Run): MenuItem[] {
  return [
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
  ];
}

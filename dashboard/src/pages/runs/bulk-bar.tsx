import type { Run } from "@millrace/contract/runs/runs";
import { Ban, Download, RotateCcw, X } from "lucide-react";
import { useState } from "react";
import { useDisabledReason } from "../../api/me.ts";
import { downloadText } from "../../parts/code/download.ts";
import { Button } from "../../parts/form/button.tsx";
import { IconButton } from "../../parts/form/icon-button.tsx";
import { plural } from "../../parts/format.ts";
import { useShortcut } from "../../parts/overlay/use-shortcut.ts";
import { type BulkResult, useBulkResult } from "../shared-runs/use-bulk-result.ts";
import { BulkCancel, BulkReplay } from "./bulk-dialogs.tsx";
import type { RunSelection } from "./use-run-selection.ts";
import type { RunFilter } from "./use-runs.ts";

type Props = { rows: readonly Run[]; chosen: RunSelection; hasMore: boolean; filter: RunFilter };

/** Actions on the selected runs, or on all matching runs. */
export function BulkBar(props: Props) {
  return props.chosen.selection.size > 0 ? <Bar {...props} /> : null;
}

type DialogName = "cancel" | "replay";

function Bar({ rows, chosen, hasMore, filter }: Props) {
  const { selection, isAll, clear } = chosen;
  const disabledReason = useDisabledReason("runs:write");
  const [openDialog, setOpenDialog] = useState<DialogName>();
  useShortcut("esc", clear);
  useShortcut("c", () => disabledReason ?? setOpenDialog("cancel"));
  useShortcut("r", () => disabledReason ?? setOpenDialog("replay"));
  return (
    <section
      className="flex flex-none flex-wrap items-center gap-2 border-t bg-selected px-3 py-2 sm:px-4 lg:px-6"
      aria-label="Selected runs"
    >
      <SelectionSummary chosen={chosen} hasMore={hasMore} />
      <span className="ml-auto flex items-center gap-2">
        <Button
          size="small"
          icon={<RotateCcw size={13} />}
          disabledReason={disabledReason}
          onClick={() => setOpenDialog("replay")}
        >
          Replay
        </Button>
        <Button
          size="small"
          icon={<Ban size={13} />}
          disabledReason={disabledReason}
          onClick={() => setOpenDialog("cancel")}
        >
          Cancel
        </Button>
        {!isAll && (
          <Button size="small" icon={<Download size={13} />} onClick={() => exportRuns(rows, selection)}>
            Export
          </Button>
        )}
        <IconButton size="small" label="Clear selection" keys="esc" icon={<X size={14} />} onClick={clear} />
      </span>
      <BulkDialog openDialog={openDialog} chosen={chosen} filter={filter} onClose={() => setOpenDialog(undefined)} />
    </section>
  );
}

function SelectionSummary({
  chosen: { selection, isAll, setAll },
  hasMore,
}: {
  chosen: RunSelection;
  hasMore: boolean;
}) {
  return (
    <>
      <span className="font-medium">{isAll ? "All matching runs" : `${plural(selection.size, "run")} selected`}</span>
      {(isAll || hasMore) && (
        <button type="button" className="text-accent hover:underline" onClick={() => setAll(!isAll)}>
          {isAll ? `Only the ${selection.size} selected` : "Select all matching"}
        </button>
      )}
    </>
  );
}

type DialogProps = { openDialog: DialogName | undefined; chosen: RunSelection; filter: RunFilter; onClose: () => void };

function BulkDialog({ openDialog, chosen: { selection, isAll, clear }, filter, onClose }: DialogProps) {
  const { openBatches, notify } = useBulkResult(clear);
  const common = { ids: isAll ? undefined : [...selection], filter, onClose };
  if (openDialog === "cancel")
    return (
      <BulkCancel {...common} onDone={(result) => notify("Canceled", result)} onOrdered={(id) => openBatches([id])} />
    );
  const done = (result: BulkResult) => (isAll ? openBatches(result.batch_ids) : notify("Replayed", result));
  if (openDialog === "replay") return <BulkReplay {...common} onDone={done} />;
  return null;
}

function exportRuns(rows: readonly Run[], selection: ReadonlySet<string>): void {
  const chosen = rows.filter(({ id }) => selection.has(id));
  downloadText("runs.ndjson", chosen.map((run) => `${JSON.stringify(run)}\n`).join(""), "application/x-ndjson");
}

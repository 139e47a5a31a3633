import type { Run } from "@millrace/contract/runs";
import { useRouter } from "@tanstack/react-router";
import { Ban, Download, RotateCcw, X } from "lucide-react";
import { useState } from "react";
import { useRefusal } from "../../api/me.ts";
import { Button } from "../../parts/button.tsx";
import { downloadText } from "../../parts/download.ts";
import { plural } from "../../parts/format.ts";
import { IconButton } from "../../parts/icon-button.tsx";
import { toast } from "../../parts/toasts.tsx";
import { useShortcut } from "../../parts/use-shortcut.ts";
import { usePlace } from "../../shell/place.ts";
import { BulkCancel, BulkReplay } from "./bulk-dialogs.tsx";
import type { BulkResult } from "./bulk-runs.ts";
import type { RunFilter } from "./use-runs.ts";

type Props = {
  rows: readonly Run[];
  selection: ReadonlySet<string>;
  /** All that fits the filter is meant, in place of the selection. */
  isAll: boolean;
  hasMore: boolean;
  filter: RunFilter;
  onAll: (isAll: boolean) => void;
  onClear: () => void;
};

/** What can be done with the runs that are selected, or with all that fit. */
export function BulkBar({ rows, selection, isAll, hasMore, filter, onAll, onClear }: Props) {
  const { at } = usePlace();
  const { history } = useRouter();
  const refusal = useRefusal("runs:write");
  const [asked, setAsked] = useState<"cancel" | "replay">();
  useShortcut("esc", onClear);
  useShortcut("c", () => refusal ?? setAsked("cancel"));
  useShortcut("r", () => refusal ?? setAsked("replay"));
  const ids = isAll ? undefined : [...selection];
  const openBatch = (id: string) => history.push(at(`batch-operations/${id}`));
  const done = (verb: string, result: BulkResult) => {
    onClear();
    const detail = result.failed > 0 ? `${plural(result.failed, "run")} could not be: see why.` : undefined;
    toast({
      tone: result.failed > 0 ? "warn" : "good",
      title: `${verb} ${plural(result.done, "run")}`,
      detail,
      action: { label: "See the result", onClick: () => openBatch(result.batch_id) },
    });
  };
  return (
    <section
      className="flex flex-none flex-wrap items-center gap-2 border-t bg-selected px-3 py-2 sm:px-4 lg:px-6"
      aria-label="Selected runs"
    >
      <span className="font-medium">{isAll ? "All runs that fit" : `${plural(selection.size, "run")} selected`}</span>
      {!isAll && hasMore && (
        <button type="button" className="text-accent hover:underline" onClick={() => onAll(true)}>
          Select all matching
        </button>
      )}
      {isAll && (
        <button type="button" className="text-accent hover:underline" onClick={() => onAll(false)}>
          Only the {selection.size} selected
        </button>
      )}
      <span className="ml-auto flex items-center gap-2">
        <Button size="small" icon={<RotateCcw size={13} />} refusal={refusal} onClick={() => setAsked("replay")}>
          Replay
        </Button>
        <Button size="small" icon={<Ban size={13} />} refusal={refusal} onClick={() => setAsked("cancel")}>
          Cancel
        </Button>
        {!isAll && (
          <Button size="small" icon={<Download size={13} />} onClick={() => exportRuns(rows, selection)}>
            Export
          </Button>
        )}
        <IconButton size="small" label="Give up the selection" keys="esc" icon={<X size={14} />} onClick={onClear} />
      </span>
      {asked === "cancel" && (
        <BulkCancel
          ids={ids}
          filter={filter}
          onClose={() => setAsked(undefined)}
          onDone={(result) => done("Canceled", result)}
          onOrdered={(batch) => {
            onClear();
            openBatch(batch);
          }}
        />
      )}
      {asked === "replay" && (
        <BulkReplay
          ids={ids}
          filter={filter}
          onClose={() => setAsked(undefined)}
          onDone={(result) => done("Replayed", result)}
        />
      )}
    </section>
  );
}

function exportRuns(rows: readonly Run[], selection: ReadonlySet<string>): void {
  const chosen = rows.filter(({ id }) => selection.has(id));
  downloadText("runs.ndjson", chosen.map((run) => `${JSON.stringify(run)}\n`).join(""), "application/x-ndjson");
}

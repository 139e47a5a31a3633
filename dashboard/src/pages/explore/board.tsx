import type { SavedView } from "@millrace/contract/projects/saved-views";
import { ChartLine, Pencil, Trash2, X } from "lucide-react";
import { useMemo, useState } from "react";
import { useDisabledReason } from "../../api/me.ts";
import { useApi, useChange } from "../../api/use-api.ts";
import { TimeRange } from "../../parts/filter/time-range.tsx";
import { FormDialog } from "../../parts/form/form-dialog.tsx";
import { IconButton } from "../../parts/form/icon-button.tsx";
import { TextField } from "../../parts/form/text-field.tsx";
import { Link } from "../../parts/link.tsx";
import { ConfirmDialog } from "../../parts/overlay/confirm-dialog.tsx";
import { PageBody, PageHeader } from "../../parts/page-header.tsx";
import { EmptyState } from "../../parts/state/empty-state.tsx";
import { ErrorState } from "../../parts/state/error-state.tsx";
import { NoObject } from "../../parts/state/no-object.tsx";
import { SkeletonLines } from "../../parts/state/skeleton.tsx";
import { usePlace, useSearchParams } from "../../shell/place/place.ts";
import { useRange } from "../shared-analytics/use-range.ts";
import { BoardMenu } from "./board-menu.tsx";
import { boardOf, chartsOf } from "./boards.ts";
import { ExploreChart } from "./explore-chart.tsx";
import { useExploreChart } from "./use-explore-chart.ts";

const PATH = "/v1/saved-views";
const HEIGHT = 220;

/** Charts side by side over the same period, shared by everyone in the project. */
export function Board({ id }: { id: string }) {
  const path = `${PATH}/${encodeURIComponent(id)}`;
  const { data: view, error, refetch } = useApi<SavedView>(path);
  const { since, setSince } = useRange();
  const [open, setOpen] = useState<"rename" | "delete">();
  const noWrite = useDisabledReason("analytics:write");
  const charts = view ? chartsOf(view) : [];
  const { mutate: replace } = useChange<{ next: string[]; before: string[] }>({
    run: ({ next }, send) => send("PATCH", path, { query: boardOf(next) }),
    done: (_, { next, before }) => (next.length < before.length ? "Chart removed" : "Chart restored"),
    undo: ({ next, before }) => ({ next: before, before: next }),
    invalidates: [PATH],
  });
  if (error && !view) return <NoObject error={error} onRetry={() => void refetch()} noun="dashboard" list="explore" />;
  if (!view) return <SkeletonLines lines={8} />;
  const close = () => setOpen(undefined);
  return (
    <div className="min-h-0 flex-1 overflow-y-auto">
      <PageHeader
        title={view.name}
        actions={
          <>
            <BoardMenu shown={id} />
            <TimeRange value={since} onChange={setSince} />
            <IconButton
              label="Rename dashboard"
              icon={<Pencil size={15} />}
              disabledReason={noWrite}
              onClick={() => setOpen("rename")}
            />
            <IconButton
              label="Delete dashboard"
              icon={<Trash2 size={15} />}
              disabledReason={noWrite}
              onClick={() => setOpen("delete")}
            />
          </>
        }
      />
      <PageBody>
        {charts.length === 0 && (
          <EmptyState icon={<ChartLine size={20} />} title="No charts yet">
            Open Explore, and add a chart with its Dashboards menu.
          </EmptyState>
        )}
        <ul className="grid gap-4 lg:grid-cols-2">
          {charts.map((chart, nth) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: two charts may be the same
            <li key={`${nth} ${chart}`} className="min-w-0">
              <BoardChart
                chart={chart}
                disabledReason={noWrite}
                onRemove={() => replace({ next: charts.filter((_, other) => other !== nth), before: charts })}
              />
            </li>
          ))}
        </ul>
      </PageBody>
      {open === "rename" && <RenameBoard view={view} onClose={close} />}
      {open === "delete" && <DeleteBoard view={view} onClose={close} />}
    </div>
  );
}

type BoardChartProps = { chart: string; disabledReason: string | undefined; onRemove: () => void };

function BoardChart({ chart, disabledReason, onRemove }: BoardChartProps) {
  const { at } = usePlace();
  const { since, query, zoom } = useRange();
  const search = useMemo(() => Object.fromEntries(new URLSearchParams(chart)), [chart]);
  const { shown, explored, missing, title } = useExploreChart(search, query);
  return (
    <section aria-label={title} className="flex flex-col gap-1">
      {explored.error !== null && <ErrorState error={explored.error} as="banner" />}
      <ExploreChart
        title={title}
        kind={shown.kind}
        metric={shown.metric}
        explored={explored}
        missing={missing}
        height={HEIGHT}
        onBrush={zoom}
      />
      <div className="flex items-center justify-end gap-1 text-xs">
        <Link href={at("explore", { ...search, since })} className="px-1 text-accent hover:underline">
          Open chart
        </Link>
        <IconButton
          size="small"
          label={`Remove ${title}`}
          icon={<X size={14} />}
          disabledReason={disabledReason}
          onClick={onRemove}
        />
      </div>
    </section>
  );
}

function RenameBoard({ view, onClose }: { view: SavedView; onClose: () => void }) {
  const rename = useChange<FormData>({
    run: (form, send) => send("PATCH", `${PATH}/${view.id}`, { name: String(form.get("name")).trim() }),
    done: "Dashboard renamed",
    invalidates: [PATH],
    onDone: onClose,
  });
  return (
    <FormDialog
      onClose={onClose}
      width="narrow"
      title="Rename dashboard"
      action="Rename dashboard"
      onSubmit={(form) => rename.mutateAsync(form)}
    >
      <TextField label="Name" name="name" defaultValue={view.name} required maxLength={200} autoComplete="off" />
    </FormDialog>
  );
}

function DeleteBoard({ view, onClose }: { view: SavedView; onClose: () => void }) {
  const [, change] = useSearchParams();
  const remove = useChange({
    run: (_, send) => send("DELETE", `${PATH}/${view.id}`),
    done: `${view.name} deleted`,
    onDone: () => change({ board: undefined }),
  });
  return (
    <ConfirmDialog
      open
      danger
      onClose={onClose}
      title={`Delete the dashboard ${view.name}?`}
      action="Delete dashboard"
      onConfirm={() => remove.mutateAsync()}
    >
      <p>It is deleted for everyone in the project. This cannot be undone.</p>
    </ConfirmDialog>
  );
}

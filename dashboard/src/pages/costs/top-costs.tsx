import type { CostReport } from "@millrace/contract/analytics/cost-report";
import { Download } from "lucide-react";
import { cx } from "../../parts/class-names.ts";
import { downloadText } from "../../parts/code/download.ts";
import { IconButton } from "../../parts/form/icon-button.tsx";
import { formatDuration, formatMoney, formatPercent, formatShort } from "../../parts/format.ts";
import { Link } from "../../parts/link.tsx";
import { EmptyState } from "../../parts/state/empty-state.tsx";
import { STILL_LOADING } from "../../parts/state/messages.ts";
import { SkeletonLines } from "../../parts/state/skeleton.tsx";
import { Segments } from "../../parts/tabs.tsx";
import { usePlace, useSearchParams } from "../../shell/place/place.ts";
import { tilesOf } from "./tiles.ts";

type Kind = "jobs" | "created_by" | "models" | "workflows" | "concurrency_keys" | "tags";
type Group = CostReport["jobs"]["groups"][number];

const KINDS: { id: Kind; label: string; none: string }[] = [
  { id: "jobs", label: "Jobs", none: "No job" },
  { id: "created_by", label: "API keys", none: "No key" },
  { id: "models", label: "Models", none: "No model" },
  { id: "workflows", label: "Workflows", none: "No workflow" },
  { id: "concurrency_keys", label: "Concurrency keys", none: "No concurrency key" },
  { id: "tags", label: "Tags", none: "No tag" },
];

/** Costs by group, as a treemap and as a table. */
export function TopCosts({ report }: { report: CostReport | undefined }) {
  const [{ by }, change] = useSearchParams();
  const kind = KINDS.find(({ id }) => id === by) ?? KINDS[0];
  const groups = (report && kind && report[kind.id].groups) ?? [];
  const total = report?.total.total_microusd ?? 0;
  const name = (group: Group) => nameOf(group, kind?.none ?? "none");
  return (
    <section aria-label="Top costs" className="card flex min-w-0 flex-col overflow-hidden">
      <div className="flex items-center gap-2 p-2 pl-4">
        <h2 className="whitespace-nowrap font-medium max-sm:hidden">Top costs</h2>
        <div className="ml-auto flex min-w-0 overflow-x-auto max-sm:ml-0">
          <Segments
            label="Group by"
            value={kind?.id ?? "jobs"}
            options={KINDS}
            onChange={(id) => change({ by: id === "jobs" ? undefined : id })}
          />
        </div>
        <IconButton
          label="Download CSV"
          icon={<Download size={15} />}
          disabledReason={report ? undefined : STILL_LOADING}
          onClick={() => downloadText(`costs by ${kind?.label}.csv`, csvOf(groups, name))}
        />
      </div>
      {report === undefined ? (
        <div className="p-4">
          <SkeletonLines lines={6} />
        </div>
      ) : groups.length === 0 ? (
        <EmptyState small title="No costs this month">
          The cost of a run is its compute time plus the cost it reports.
        </EmptyState>
      ) : (
        <>
          <Tiles groups={groups} name={name} />
          <Groups groups={groups} total={total} name={name} kind={kind?.id ?? "jobs"} />
        </>
      )}
    </section>
  );
}

function nameOf({ name, value }: Group, none: string): string {
  if (name === null) return value ?? none;
  return value === null ? name : `${name}: ${value}`;
}

/** Treemap of the twelve most expensive entries. */
function Tiles({ groups, name }: { groups: Group[]; name: (group: Group) => string }) {
  const tiles = tilesOf(groups.slice(0, 12).map((group) => group.total_microusd));
  return (
    <div aria-hidden="true" className="relative mx-4 h-40 overflow-hidden rounded-sm max-sm:h-32">
      {tiles.map((tile) => {
        const group = groups[tile.index];
        return (
          group && <Tile key={tile.index} tile={tile} name={name(group)} money={formatMoney(group.total_microusd)} />
        );
      })}
    </div>
  );
}

type TileProps = { tile: ReturnType<typeof tilesOf>[number]; name: string; money: string };

/** Labeled where there is room. */
function Tile({ tile: { index, left, top, width, height }, name, money }: TileProps) {
  const strength = Math.max(10, 42 - index * 5);
  return (
    <div
      className="absolute p-px"
      style={{ left: `${left}%`, top: `${top}%`, width: `${width}%`, height: `${height}%` }}
      title={`${name}: ${money}`}
    >
      <div
        className="flex h-full flex-col overflow-hidden rounded-xs px-2 py-1 text-xs"
        style={{ background: `color-mix(in oklab, var(--color-accent) ${strength}%, var(--color-bg))` }}
      >
        {width > 9 && height > 18 && (
          <>
            <span className="truncate font-medium text-ink">{name}</span>
            <span className="truncate text-ink">{money}</span>
          </>
        )}
      </div>
    </div>
  );
}

type GroupsProps = { groups: Group[]; total: number; name: (group: Group) => string; kind: Kind };

function Groups({ groups, total, name, kind }: GroupsProps) {
  return (
    <section className="mt-3 max-h-[420px] overflow-auto" tabIndex={0} aria-label="Costs as a table">
      <table className="w-full min-w-[480px] text-left">
        <thead className="sticky top-0 border-y bg-surface text-ink-2 text-xs">
          <tr>
            <th className="h-8 px-4 font-medium">Name</th>
            <th className="px-3 text-right font-medium">Cost</th>
            <th className="w-32 px-3 font-medium">Share</th>
            <th className="px-3 text-right font-medium">Time</th>
            <th className="px-4 text-right font-medium">Tokens</th>
          </tr>
        </thead>
        <tbody>
          {groups.map((group) => (
            <GroupRow
              key={`${group.id} ${group.name} ${group.value}`}
              group={group}
              name={name(group)}
              share={total > 0 ? group.total_microusd / total : 0}
              hasRuns={kind === "jobs"}
            />
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** Links to the runs where a filter for them exists. */
function GroupRow({ group, name, share, hasRuns }: { group: Group; name: string; share: number; hasRuns: boolean }) {
  const { at } = usePlace();
  return (
    <tr className="border-b last:border-b-0">
      <td className="h-9 max-w-64 truncate px-4">
        {hasRuns && group.id ? (
          <Link
            href={at("runs", { q: `job:${group.name ?? group.id}` })}
            className="font-medium hover:text-accent hover:underline"
          >
            {name}
          </Link>
        ) : (
          <span className={cx("font-medium", group.name === null && "text-ink-2")}>{name}</span>
        )}
      </td>
      <td className="px-3 text-right font-mono text-xs">{formatMoney(group.total_microusd)}</td>
      <td className="px-3">
        <span className="flex items-center gap-2">
          <span aria-hidden="true" className="h-1.5 w-14 overflow-hidden rounded-full bg-hover">
            <span className="block h-full bg-accent" style={{ width: `${share * 100}%` }} />
          </span>
          <span className="font-mono text-xs">{formatPercent(share)}</span>
        </span>
      </td>
      <td className="px-3 text-right font-mono text-xs">{group.wall_ms > 0 ? formatDuration(group.wall_ms) : "–"}</td>
      <td className="px-4 text-right font-mono text-xs">{formatShort(group.input_tokens + group.output_tokens)}</td>
    </tr>
  );
}

function csvOf(groups: Group[], name: (group: Group) => string): string {
  const rows = groups.map((group) =>
    [
      JSON.stringify(name(group)),
      group.total_microusd,
      group.compute_microusd,
      group.reported_microusd,
      group.wall_ms,
      group.dispatches,
      group.input_tokens,
      group.output_tokens,
    ].join(","),
  );
  return [
    "name,total_microusd,compute_microusd,reported_microusd,wall_ms,dispatches,input_tokens,output_tokens",
    ...rows,
  ].join("\n");
}

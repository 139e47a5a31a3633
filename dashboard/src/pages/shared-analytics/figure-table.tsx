import { Download } from "lucide-react";
import type { ReactNode } from "react";
import { cx } from "../../parts/class-names.ts";
import { downloadText } from "../../parts/code/download.ts";
import { IconButton } from "../../parts/form/icon-button.tsx";
import { EmptyState } from "../../parts/state/empty-state.tsx";
import { STILL_LOADING } from "../../parts/state/messages.ts";
import { SkeletonLines } from "../../parts/state/skeleton.tsx";

export type Figure<Row> = {
  header: string;
  /** The value in the CSV. */
  value: (row: Row) => string | number | null;
  show?: (row: Row) => ReactNode;
  isText?: boolean;
};

type Props<Row> = {
  title: string;
  rows: readonly Row[] | undefined;
  rowKey: (row: Row) => string;
  figures: Figure<Row>[];
  none: string;
};

/** A small table of figures with CSV download. */
export function FigureTable<Row>({ title, rows, rowKey, figures, none }: Props<Row>) {
  return (
    <section aria-label={title} className="card min-w-0 overflow-hidden">
      <div className="flex h-10 items-center justify-between pr-1 pl-4">
        <h2 className="font-medium">{title}</h2>
        <IconButton
          label="Download CSV"
          icon={<Download size={15} />}
          disabledReason={rows ? undefined : STILL_LOADING}
          onClick={() => rows && downloadText(`${title}.csv`, csvOf(rows, figures))}
        />
      </div>
      {rows === undefined && (
        <div className="p-4">
          <SkeletonLines lines={4} />
        </div>
      )}
      {rows?.length === 0 && <EmptyState small title={none} />}
      {rows && rows.length > 0 && (
        <section className="max-h-[440px] overflow-auto" tabIndex={0} aria-label={`${title} as a table`}>
          <table className="w-full min-w-[560px] text-left">
            <thead className="sticky top-0 border-y bg-surface text-ink-2 text-xs">
              <tr>
                {figures.map(({ header, isText }) => (
                  <th
                    key={header}
                    className={cx("h-8 px-3 font-medium first:pl-4 last:pr-4", !isText && "not-first:text-right")}
                  >
                    {header}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.map((row) => (
                <tr key={rowKey(row)} className="border-b last:border-b-0 hover:bg-surface">
                  {figures.map(({ header, value, show, isText }) => (
                    <td
                      key={header}
                      className={cx(
                        "h-9 max-w-80 truncate px-3 first:pl-4 last:pr-4",
                        !isText && "font-mono text-xs not-first:text-right",
                      )}
                    >
                      {show ? show(row) : (value(row) ?? "–")}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
    </section>
  );
}

function csvOf<Row>(rows: readonly Row[], figures: Figure<Row>[]): string {
  const cell = (value: string | number | null) =>
    typeof value === "string" ? `"${value.replaceAll('"', '""')}"` : (value ?? "");
  return [
    figures.map(({ header }) => cell(header)).join(","),
    ...rows.map((row) => figures.map(({ value }) => cell(value(row))).join(",")),
  ].join("\n");
}

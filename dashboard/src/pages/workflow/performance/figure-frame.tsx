import { Download, Table2 } from "lucide-react";
import { type ReactNode, useState } from "react";
import { downloadText } from "../../../parts/code/download.ts";
import { IconButton } from "../../../parts/form/icon-button.tsx";
import { formatCount } from "../../../parts/format.ts";

type Cell = string | number;
type Props = {
  title: string;
  about: string;
  isEmpty: boolean;
  head: string[];
  rows: Cell[][];
  children: ReactNode;
};

/** Frame of a figure without a time axis: title, table view and CSV. */
export function FigureFrame({ title, about, isEmpty, head, rows, children }: Props) {
  const [isTable, setTable] = useState(false);
  return (
    <figure className="card m-0 flex min-w-0 flex-col" aria-label={title}>
      <figcaption className="flex h-10 items-center gap-2 pr-1 pl-4">
        <span className="font-medium">{title}</span>
        <span className="min-w-0 flex-1 truncate text-ink-3 text-xs">{about}</span>
        <IconButton
          label={isTable ? "View as chart" : "View as table"}
          icon={<Table2 size={15} />}
          pressed={isTable}
          onClick={() => setTable(!isTable)}
        />
        <IconButton
          label="Download CSV"
          icon={<Download size={15} />}
          onClick={() => downloadText(`${title}.csv`, [head, ...rows].map((row) => row.map(cell).join(",")).join("\n"))}
        />
      </figcaption>
      <div className="px-4 pb-3">
        {isEmpty && <p className="py-6 text-center text-ink-2">No data for this version yet.</p>}
        {!isEmpty && (isTable ? <Table head={head} rows={rows} /> : children)}
      </div>
    </figure>
  );
}

function Table({ head, rows }: { head: string[]; rows: Cell[][] }) {
  return (
    <div className="overflow-x-auto" tabIndex={0}>
      <table className="w-full text-left text-xs">
        <thead className="text-ink-2">
          <tr>
            {head.map((name, nth) => (
              <th key={name} scope="col" className={`py-1 pr-3 font-medium ${nth > 0 ? "text-right" : ""}`}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(([name, ...values]) => (
            <tr key={name} className="border-t">
              <td className="py-1 pr-3">{name}</td>
              {values.map((value, nth) => (
                <td key={head[nth + 1]} className="py-1 pr-3 text-right font-mono">
                  {typeof value === "number" ? formatCount(value) : value}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function cell(value: Cell): string {
  return typeof value === "number" ? String(value) : `"${value.replaceAll('"', '""')}"`;
}

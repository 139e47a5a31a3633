import type { ReactNode } from "react";
import { PageHeader } from "../page-header.tsx";
import { ListTable, type ListTableProps } from "./list-table.tsx";

type Props<Row> = ListTableProps<Row> & {
  title: string;
  /** Actions on the whole list. */
  actions?: ReactNode;
  /** Figures above the toolbar. */
  figures?: ReactNode;
  /** Filters. */
  toolbar?: ReactNode;
  /** Actions on the selected rows. */
  footer?: ReactNode;
  /** Side panel and dialogs. */
  children?: ReactNode;
};

/** Frame of a list page: header, toolbar, rows and side panel. */
export function ListPage<Row>({ title, actions, figures, toolbar, footer, children, ...table }: Props<Row>) {
  return (
    <div className="flex min-h-0 flex-1">
      <div className="flex min-h-0 min-w-0 flex-1 flex-col">
        <PageHeader title={title} actions={actions}>
          {figures}
          <div className="flex flex-wrap items-center gap-2 pb-3 empty:pb-1">{toolbar}</div>
        </PageHeader>
        <div className="flex min-h-0 flex-1 flex-col border-t sm:[--gutter:16px] lg:[--gutter:24px]">
          <ListTable {...table} />
        </div>
        {footer}
      </div>
      {children}
    </div>
  );
}

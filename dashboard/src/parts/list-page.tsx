import type { ReactNode } from "react";
import { ListTable, type ListTableProps } from "./list-table.tsx";
import { PageHeader } from "./page-header.tsx";

type Props<Row> = ListTableProps<Row> & {
  title: string;
  /** What can be done with the list as a whole. */
  actions?: ReactNode;
  /** Above the toolbar: figures of the whole. */
  figures?: ReactNode;
  /** What narrows the list. */
  toolbar?: ReactNode;
  /** Under the rows: what can be done with those that are selected. */
  footer?: ReactNode;
  /** Beside the list, or over it: the panel of one row, dialogs. */
  children?: ReactNode;
};

/** The frame of every page that is one list: head, toolbar, rows that begin where the title does, and a panel beside them. */
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

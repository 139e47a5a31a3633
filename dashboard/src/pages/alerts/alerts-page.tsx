import type { Alert } from "@millrace/contract/alerts";
import { Bell, RefreshCw } from "lucide-react";
import { useApiList } from "../../api/use-api.ts";
import { AsCode } from "../../parts/code/as-code.tsx";
import { IconButton } from "../../parts/form/icon-button.tsx";
import { EmptyState } from "../../parts/state/empty-state.tsx";
import { ListPage } from "../../parts/table/list-page.tsx";
import { codeOf } from "../code-of.ts";
import { alertColumns } from "./alert-columns.tsx";

/** When alert rules fired, and when what they measure recovered. Notifications link here. */
export default function AlertsPage() {
  const list = useApiList<Alert>("/v1/alerts");
  return (
    <ListPage
      title="Alerts"
      label="Alerts"
      actions={
        <>
          <IconButton
            label="Refresh"
            icon={<RefreshCw size={15} className={list.isFetching ? "animate-spin" : ""} />}
            onClick={() => void list.refetch()}
          />
          <AsCode about="Alerts" code={codeOf({ method: "GET", path: "/v1/alerts" })} />
        </>
      }
      list={list}
      columns={alertColumns}
      empty={
        <EmptyState icon={<Bell size={20} />} title="No alerts yet">
          Create a rule with <code className="font-mono text-xs">millrace alerts create</code>. When it fires, the alert
          is listed here.
        </EmptyState>
      }
    />
  );
}

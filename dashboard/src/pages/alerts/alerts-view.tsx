import type { Alert } from "@millrace/contract/alerts/alerts";
import { Bell, RefreshCw } from "lucide-react";
import { useApiList } from "../../api/use-api.ts";
import { AsCode } from "../../parts/code/as-code.tsx";
import { IconButton } from "../../parts/form/icon-button.tsx";
import { Link } from "../../parts/link.tsx";
import { Inspector } from "../../parts/overlay/inspector.tsx";
import { EmptyState } from "../../parts/state/empty-state.tsx";
import { ListPage } from "../../parts/table/list-page.tsx";
import { Segments } from "../../parts/tabs.tsx";
import { usePlace, useSearchParams } from "../../shell/place/place.ts";
import { usePeek } from "../../shell/use-peek.ts";
import { codeOf } from "../code-of.ts";
import { alertColumns } from "./alert-columns.tsx";
import { AlertPeek } from "./alert-peek.tsx";
import { ViewSwitch } from "./view-switch.tsx";

const STATUSES = [
  { id: "all", label: "All" },
  { id: "firing", label: "Firing" },
  { id: "resolved", label: "Resolved" },
];

/** When alert rules fired, and when they were resolved. */
export function AlertsView() {
  const [{ status, rule_id }, change] = useSearchParams();
  const { at } = usePlace();
  const list = useApiList<Alert>("/v1/alerts", { status, rule_id });
  const { peek, peeked, toggle, close } = usePeek(list.rows, "/v1/alerts");
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
          <AsCode
            about="Alerts"
            code={codeOf({ method: "GET", path: "/v1/alerts" }, { cli: "millrace alerts history" })}
          />
        </>
      }
      toolbar={
        <>
          <ViewSwitch view="alerts" />
          <Segments
            label="Status"
            value={status ?? "all"}
            options={STATUSES}
            onChange={(id) => change({ status: id === "all" ? undefined : id })}
          />
          {rule_id && (
            <button
              type="button"
              className="text-accent text-xs hover:underline"
              onClick={() => change({ rule_id: undefined })}
            >
              Show alerts of all rules
            </button>
          )}
        </>
      }
      list={list}
      columns={alertColumns}
      current={peek}
      onPeek={toggle}
      empty={
        status || rule_id ? (
          <EmptyState title="No alerts match" />
        ) : (
          <EmptyState
            icon={<Bell size={20} />}
            title="No alerts yet"
            action={
              <Link href={at("alerts", { tab: "rules" })} className="font-medium text-accent hover:underline">
                View alert rules
              </Link>
            }
          >
            When an alert rule fires, the alert is listed here and sent to the rule's channels.
          </EmptyState>
        )
      }
    >
      <Inspector open={peeked !== undefined} onClose={close} label="Alert" title={peeked?.rule_name ?? ""}>
        {peeked && <AlertPeek alert={peeked} />}
      </Inspector>
    </ListPage>
  );
}

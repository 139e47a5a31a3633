import type { Endpoint } from "@millrace/contract/jobs/endpoints";
import { RefreshCw, Server } from "lucide-react";
import { useApiList } from "../../api/use-api.ts";
import { AsCode } from "../../parts/code/as-code.tsx";
import { IconButton } from "../../parts/form/icon-button.tsx";
import { EmptyState } from "../../parts/state/empty-state.tsx";
import { ListPage } from "../../parts/table/list-page.tsx";
import { codeOf } from "../code-of.ts";
import { endpointColumns } from "./endpoint-columns.tsx";

/** The hosts that jobs are dispatched to, and whether they can be reached. */
export default function EndpointsPage() {
  const list = useApiList<Endpoint>("/v1/endpoints");
  return (
    <ListPage
      title="Endpoints"
      label="Endpoints"
      actions={
        <>
          <IconButton
            label="Refresh"
            icon={<RefreshCw size={15} className={list.isFetching ? "animate-spin" : ""} />}
            onClick={() => void list.refetch()}
          />
          <AsCode about="Endpoints" code={codeOf({ method: "GET", path: "/v1/endpoints" })} />
        </>
      }
      list={list}
      rowKey={({ host }) => host}
      columns={endpointColumns}
      empty={
        <EmptyState icon={<Server size={20} />} title="No endpoints yet">
          Create a job: its endpoint is listed here with its health.
        </EmptyState>
      }
    />
  );
}

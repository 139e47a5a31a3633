import type { OutboxSource } from "@millrace/contract/events/outbox-sources";
import { Database, Plus, RefreshCw } from "lucide-react";
import { useMemo, useState } from "react";
import { useDisabledReason } from "../../api/me.ts";
import { useApiList } from "../../api/use-api.ts";
import { AsCode } from "../../parts/code/as-code.tsx";
import { Button } from "../../parts/form/button.tsx";
import { IconButton } from "../../parts/form/icon-button.tsx";
import { EmptyState } from "../../parts/state/empty-state.tsx";
import { ListPage } from "../../parts/table/list-page.tsx";
import { useCommands } from "../../shell/command-menu/commands.ts";
import { codeOf } from "../code-of.ts";
import { CreateSource } from "./create-source.tsx";
import { sourceColumns } from "./source-columns.tsx";
import { useSourceActions } from "./use-source-actions.ts";

/** Databases of applications whose committed calls of `millrace.enqueue` become runs. */
export default function OutboxSourcesPage() {
  const list = useApiList<OutboxSource>("/v1/outbox-sources");
  const disabledReason = useDisabledReason("outbox:write");
  const [isCreating, setCreating] = useState(false);
  const { toggle, retry } = useSourceActions();
  const columns = useMemo(
    () => sourceColumns({ disabledReason, onToggle: toggle.mutate, onRetry: retry.mutate }),
    [disabledReason, toggle.mutate, retry.mutate],
  );
  useCommands([{ label: "Create outbox source", run: () => disabledReason ?? setCreating(true) }]);
  return (
    <ListPage
      title="Outbox sources"
      label="Outbox sources"
      actions={
        <>
          <IconButton
            label="Refresh"
            icon={<RefreshCw size={15} className={list.isFetching ? "animate-spin" : ""} />}
            onClick={() => void list.refetch()}
          />
          <AsCode
            about="Outbox sources"
            code={codeOf({ method: "GET", path: "/v1/outbox-sources" }, { cli: "millrace outbox sources list" })}
          />
          <Button
            kind="primary"
            icon={<Plus size={15} />}
            disabledReason={disabledReason}
            onClick={() => setCreating(true)}
          >
            Create outbox source
          </Button>
        </>
      }
      list={list}
      columns={columns}
      empty={
        <EmptyState icon={<Database size={20} />} title="No outbox sources yet">
          Run <code className="font-mono text-xs">millrace outbox install</code> for the database of your application,
          then connect it here. Jobs that it enqueues in its own transactions start when they commit.
        </EmptyState>
      }
    >
      {isCreating && <CreateSource onClose={() => setCreating(false)} />}
    </ListPage>
  );
}

import type { QueueLoad } from "@millrace/contract/workers/queues";
import { Plus, RefreshCw } from "lucide-react";
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
import { DeleteQueue } from "./delete-queue.tsx";
import { queueColumns } from "./queue-columns.tsx";
import { QueueDialog } from "./queue-dialog.tsx";
import { usePauseQueue } from "./use-pause-queue.ts";

/** Named queues: their load, and the limits and pause that their jobs share. */
export default function QueuesPage() {
  const list = useApiList<QueueLoad>("/v1/queues");
  const disabledReason = useDisabledReason("jobs:write");
  const [edited, setEdited] = useState<QueueLoad | "new">();
  const [deleted, setDeleted] = useState<QueueLoad>();
  const pause = usePauseQueue();
  const columns = useMemo(
    () =>
      queueColumns({
        ...{ disabledReason, onEdit: setEdited, onDelete: setDeleted },
        onPause: (queue) => pause.mutate(queue),
      }),
    [disabledReason, pause.mutate],
  );
  useCommands([{ label: "Create queue", run: () => disabledReason ?? setEdited("new") }]);
  return (
    <ListPage
      title="Queues"
      label="Queues"
      actions={
        <>
          <IconButton
            label="Refresh"
            icon={<RefreshCw size={15} className={list.isFetching ? "animate-spin" : ""} />}
            onClick={() => void list.refetch()}
          />
          <AsCode about="Queues" code={codeOf({ method: "GET", path: "/v1/queues" })} />
          <Button
            kind="primary"
            icon={<Plus size={15} />}
            disabledReason={disabledReason}
            onClick={() => setEdited("new")}
          >
            Create queue
          </Button>
        </>
      }
      figures={list.rows?.length === 1 && <AboutQueues />}
      list={list}
      columns={columns}
      empty={<EmptyState title="No queues" />}
    >
      {edited && <QueueDialog queue={edited === "new" ? undefined : edited} onClose={() => setEdited(undefined)} />}
      {deleted && <DeleteQueue queue={deleted} onClose={() => setDeleted(undefined)} />}
    </ListPage>
  );
}

/** Every project has the queue `default`, so the list is never empty. This is shown until there is another. */
function AboutQueues() {
  return (
    <p className="max-w-[72ch] pb-2 text-ink-2">
      All jobs are in the queue <code className="font-mono text-xs">default</code>. Create another queue for jobs that
      share a concurrency limit, a rate limit or a pause, such as all jobs that call the same API, and set{" "}
      <code className="font-mono text-xs">queue</code> in their settings.
    </p>
  );
}

import type { Worker } from "@millrace/contract/workers/workers";
import { Cpu, RefreshCw } from "lucide-react";
import { useApiList } from "../../api/use-api.ts";
import { AsCode } from "../../parts/code/as-code.tsx";
import { CodeBlock } from "../../parts/code/code-block.tsx";
import { IconButton } from "../../parts/form/icon-button.tsx";
import { Link } from "../../parts/link.tsx";
import { EmptyState } from "../../parts/state/empty-state.tsx";
import { ListPage } from "../../parts/table/list-page.tsx";
import { usePlace } from "../../shell/place/place.ts";
import { codeOf } from "../code-of.ts";
import { workerColumns } from "./worker-columns.tsx";

/** Workers that claim the runs of pull jobs and were seen in the last minute. */
export default function WorkersPage() {
  const list = useApiList<Worker>("/v1/workers");
  return (
    <ListPage
      title="Workers"
      label="Workers"
      actions={
        <>
          <IconButton
            label="Refresh"
            icon={<RefreshCw size={15} className={list.isFetching ? "animate-spin" : ""} />}
            onClick={() => void list.refetch()}
          />
          <AsCode about="Workers" code={codeOf({ method: "GET", path: "/v1/workers" })} />
        </>
      }
      list={list}
      columns={workerColumns}
      empty={<NoWorkers />}
    />
  );
}

function NoWorkers() {
  const { at } = usePlace();
  return (
    <EmptyState
      icon={<Cpu size={20} />}
      title="No live workers"
      code={
        <div className="flex flex-col gap-3">
          <CodeBlock title="worker.ts" code={WORKER} />
          <CodeBlock title="Start it" code={startCommand()} />
        </div>
      }
    >
      A worker claims the runs of jobs with the delivery <em>pull</em>. It needs no open port, only an{" "}
      <Link href={at("api-keys")} className="text-accent underline">
        API key
      </Link>{" "}
      with the scope runs:work, and jobs:write to create its jobs. It is listed here until a minute after its last
      request.
    </EmptyState>
  );
}

const WORKER = `import { createClient, createWorker, defineJob, sync } from "@millrace/sdk";

const resizeImage = defineJob({
  id: "resize-image",
  run: async (payload: { url: string }, ctx) => ({ resized: payload.url }),
});

const client = createClient();
await sync(client, { jobs: [resizeImage], delivery: "pull" });
createWorker({ jobs: [resizeImage], client, concurrency: 50 }).start();`;

function startCommand(): string {
  return `export MILLRACE_BASE_URL="${location.origin}"\nexport MILLRACE_API_KEY="svc_…"\nnode worker.ts`;
}

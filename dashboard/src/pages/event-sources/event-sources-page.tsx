import type { EventSource } from "@millrace/contract/events/event-sources";
import { useRouter } from "@tanstack/react-router";
import { Plus, RadioTower } from "lucide-react";
import { useState } from "react";
import { useDisabledReason } from "../../api/me.ts";
import { useApiList } from "../../api/use-api.ts";
import { AsCode } from "../../parts/code/as-code.tsx";
import { CodeBlock } from "../../parts/code/code-block.tsx";
import { Button } from "../../parts/form/button.tsx";
import { Link } from "../../parts/link.tsx";
import { EmptyState } from "../../parts/state/empty-state.tsx";
import { StatusMark } from "../../parts/state/status-mark.tsx";
import { ListPage } from "../../parts/table/list-page.tsx";
import type { Column } from "../../parts/table/table-columns.tsx";
import { Time } from "../../parts/time.tsx";
import { useCommands } from "../../shell/command-menu/commands.ts";
import { usePlace } from "../../shell/place/place.ts";
import { codeOf } from "../code-of.ts";
import { SourceDialog } from "./source-dialog.tsx";

const PATH = "/v1/event-sources";

/** Sources of events that start jobs and workflows. */
export default function EventSourcesPage() {
  const list = useApiList<EventSource>(PATH);
  const disabledReason = useDisabledReason("events:write");
  const [isCreating, setCreating] = useState(false);
  const { at } = usePlace();
  const { history } = useRouter();
  useCommands([{ label: "Create event source", run: () => disabledReason ?? setCreating(true) }]);
  return (
    <ListPage
      title="Event sources"
      label="Event sources"
      actions={
        <>
          <AsCode about="Event sources" code={codeOf({ method: "GET", path: PATH })} />
          <Button
            kind="primary"
            icon={<Plus size={15} />}
            disabledReason={disabledReason}
            onClick={() => setCreating(true)}
          >
            Create event source
          </Button>
        </>
      }
      list={list}
      columns={COLUMNS}
      onOpen={({ id }) => history.push(at(`event-sources/${id}`))}
      empty={
        <EmptyState
          icon={<RadioTower size={20} />}
          title="No event sources yet"
          code={
            <CodeBlock
              title="Create a source for GitHub webhooks"
              code={codeOf({ method: "POST", path: PATH, body: { name: "GitHub", signature: "github" } }).curl}
            />
          }
        >
          A source receives events from your applications or signed webhooks from others. Its subscriptions start a job
          or a workflow for each event that matches.
        </EmptyState>
      }
    >
      {isCreating && <SourceDialog source={undefined} onClose={() => setCreating(false)} />}
    </ListPage>
  );
}

const COLUMNS: Column<EventSource>[] = [
  {
    id: "state",
    header: "State",
    width: "104px",
    isFixed: true,
    narrow: "meta",
    cell: ({ enabled }) => (
      <StatusMark {...(enabled ? { status: "ok", label: "Enabled" } : { status: "paused", label: "Disabled" })} />
    ),
  },
  {
    id: "name",
    header: "Name",
    width: "minmax(180px, 1.4fr)",
    isFixed: true,
    narrow: "title",
    cell: (source) => <Name source={source} />,
  },
  {
    id: "signature",
    header: "Webhooks",
    width: "minmax(120px, 1fr)",
    narrow: "meta",
    cell: ({ signature }) =>
      signature === "none" ? <span className="text-ink-3">not accepted</span> : `signed, ${signature}`,
  },
  {
    id: "schema",
    header: "Schema",
    width: "90px",
    hidePriority: 2,
    cell: ({ payload_schema }) => (payload_schema ? "yes" : <span className="text-ink-3">–</span>),
  },
  {
    id: "created",
    header: "Created",
    width: "120px",
    hidePriority: 1,
    cell: ({ created_at }) => <Time at={created_at} />,
  },
];

function Name({ source: { id, name, slug } }: { source: EventSource }) {
  const { at } = usePlace();
  return (
    <span className="flex min-w-0 items-center gap-2">
      <Link href={at(`event-sources/${id}`)} className="truncate font-medium hover:text-accent hover:underline">
        {name}
      </Link>
      <code className="truncate font-mono text-ink-3 text-xs">{slug}</code>
    </span>
  );
}

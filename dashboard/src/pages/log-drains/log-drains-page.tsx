import type { LogDrain } from "@millrace/contract/deliveries/log-drains";
import { Plus, ScrollText } from "lucide-react";
import { useMemo, useState } from "react";
import { useDisabledReason } from "../../api/me.ts";
import { useApiList, useChange } from "../../api/use-api.ts";
import { AsCode } from "../../parts/code/as-code.tsx";
import { CodeBlock } from "../../parts/code/code-block.tsx";
import { Button } from "../../parts/form/button.tsx";
import { ConfirmDialog } from "../../parts/overlay/confirm-dialog.tsx";
import { EmptyState } from "../../parts/state/empty-state.tsx";
import { ListPage } from "../../parts/table/list-page.tsx";
import { useCommands } from "../../shell/command-menu/commands.ts";
import { codeOf } from "../code-of.ts";
import { drainColumns } from "./drain-columns.tsx";
import { DrainDialog } from "./drain-dialog.tsx";
import { TestDrain } from "./test-drain.tsx";

type Open = { dialog: "edit" | "test" | "delete"; drain: LogDrain } | { dialog: "create" };

const PATH = "/v1/log-drains";
const CODE = codeOf({
  method: "POST",
  path: PATH,
  body: { name: "Loki", url: "https://loki.example.com/loki/api/v1/push", format: "loki" },
});

/** Where log lines, traces and metrics of runs are forwarded. */
export default function LogDrainsPage() {
  const list = useApiList<LogDrain>(PATH);
  const disabledReason = useDisabledReason("drains:write");
  const [open, setOpen] = useState<Open>();
  const toggle = useChange<LogDrain>({
    run: ({ id, enabled }, send) => send("PATCH", `${PATH}/${id}`, { enabled: !enabled }),
    done: (_, { name, enabled }) => `${name} ${enabled ? "disabled" : "enabled"}`,
    undo: (drain) => ({ ...drain, enabled: !drain.enabled }),
    invalidates: [PATH],
  });
  const columns = useMemo(
    () =>
      drainColumns({ disabledReason, onToggle: toggle.mutate, onAct: (dialog, drain) => setOpen({ dialog, drain }) }),
    [disabledReason, toggle.mutate],
  );
  const create = () => setOpen({ dialog: "create" });
  const close = () => setOpen(undefined);
  useCommands([{ label: "Create log drain", run: () => disabledReason ?? create() }]);
  return (
    <ListPage
      title="Log drains"
      label="Log drains"
      actions={
        <>
          <AsCode about="Log drains" code={codeOf({ method: "GET", path: PATH })} />
          <Button kind="primary" icon={<Plus size={15} />} disabledReason={disabledReason} onClick={create}>
            Create log drain
          </Button>
        </>
      }
      list={list}
      columns={columns}
      empty={
        <EmptyState
          icon={<ScrollText size={20} />}
          title="No log drains yet"
          code={<CodeBlock title="Create a log drain" code={CODE.curl} />}
        >
          A drain forwards what runs log, their traces or their metrics to an observability service.
        </EmptyState>
      }
    >
      {open?.dialog === "create" && <DrainDialog drain={undefined} onClose={close} />}
      {open?.dialog === "edit" && <DrainDialog drain={open.drain} onClose={close} />}
      {open?.dialog === "test" && <TestDrain drain={open.drain} onClose={close} />}
      {open?.dialog === "delete" && <DeleteDrain drain={open.drain} onClose={close} />}
    </ListPage>
  );
}

function DeleteDrain({ drain: { id, name }, onClose }: { drain: LogDrain; onClose: () => void }) {
  const remove = useChange({
    run: (_, send) => send("DELETE", `${PATH}/${id}`),
    done: `${name} deleted`,
    invalidates: [PATH],
  });
  return (
    <ConfirmDialog
      open
      danger
      onClose={onClose}
      title={`Delete ${name}?`}
      action="Delete log drain"
      onConfirm={() => remove.mutateAsync()}
    >
      <p>Log lines that were not sent yet are not sent. They stay searchable in Logs.</p>
    </ConfirmDialog>
  );
}

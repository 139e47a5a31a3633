import type { CreateSavedView, SavedView } from "@millrace/contract/projects/saved-views";
import { LayoutDashboard, Plus } from "lucide-react";
import { useState } from "react";
import { call } from "../../api/call.ts";
import { useDisabledReason, useMay } from "../../api/me.ts";
import { type Page, useApi, useChange } from "../../api/use-api.ts";
import { Button } from "../../parts/form/button.tsx";
import { FormDialog } from "../../parts/form/form-dialog.tsx";
import { TextField } from "../../parts/form/text-field.tsx";
import { Menu, type MenuItem } from "../../parts/overlay/menu.tsx";
import { useCommands } from "../../shell/command-menu/commands.ts";
import { usePlace, useSearchParams } from "../../shell/place/place.ts";
import { boardOf, chartsOf, isBoard, MAX_CHARTS } from "./boards.ts";

const PATH = "/v1/saved-views";

/** Opens a dashboard, or adds the current chart to one. */
export function BoardMenu({ chart, shown }: { chart?: string; shown?: string }) {
  const [, change] = useSearchParams();
  const { project } = usePlace();
  const noWrite = useDisabledReason("analytics:write");
  const { data } = useApi<Page<SavedView>>(PATH, { resource: "analytics", limit: 100 }, useMay("analytics:read"));
  const [isCreating, setCreating] = useState(false);
  const boards = (data?.data ?? []).filter(isBoard);
  const open = (id: string | undefined) => change({ board: id });
  const { mutate: add } = useChange<SavedView>({
    run: async ({ id }, send) => {
      // Others may have changed it since it was listed.
      const latest = await call<SavedView>("GET", `${PATH}/${id}`, { project });
      await send("PATCH", `${PATH}/${id}`, { query: boardOf([...chartsOf(latest), chart ?? ""]) });
    },
    done: (_, { name }) => `Chart added to ${name}`,
    invalidates: [PATH],
    onDone: (_, { id }) => open(id),
  });
  useCommands([
    ...boards.map((board) => ({ label: `Dashboard: ${board.name}`, run: () => open(board.id) })),
    ...(chart === undefined ? [] : [{ label: "New dashboard", run: () => noWrite ?? setCreating(true) }]),
  ]);
  const openItems: MenuItem[] = boards.map(({ id, name }) => ({
    label: name,
    checked: id === shown,
    onSelect: () => open(id),
  }));
  const addItems: MenuItem[] = boards.map((board) => ({
    label: board.name,
    disabledReason: noWrite ?? (chartsOf(board).length < MAX_CHARTS ? undefined : "This dashboard is full."),
    onSelect: () => add(board),
  }));
  const create: MenuItem = {
    label: "New dashboard with this chart",
    icon: <Plus size={14} />,
    disabledReason: noWrite,
    onSelect: () => setCreating(true),
  };
  const items: MenuItem[] =
    chart === undefined
      ? [...openItems, { kind: "line" }, { label: "Explore metrics", onSelect: () => open(undefined) }]
      : [
          ...(boards.length > 0
            ? [
                { kind: "heading" as const, label: "Open" },
                ...openItems,
                { kind: "heading" as const, label: "Add this chart to" },
                ...addItems,
                { kind: "line" as const },
              ]
            : []),
          create,
        ];
  return (
    <>
      <Menu
        label="Dashboards"
        align="end"
        trigger={<Button icon={<LayoutDashboard size={14} />}>Dashboards</Button>}
        items={items}
      />
      {isCreating && <NewBoard chart={chart ?? ""} onClose={() => setCreating(false)} onOpen={open} />}
    </>
  );
}

type NewProps = { chart: string; onClose: () => void; onOpen: (id: string) => void };

function NewBoard({ chart, onClose, onOpen }: NewProps) {
  const create = useChange<FormData, SavedView>({
    run: (form, send) => {
      const name = String(form.get("name")).trim();
      return send("POST", PATH, { name, resource: "analytics", query: boardOf([chart]) } satisfies CreateSavedView);
    },
    done: "Dashboard created",
    invalidates: [PATH],
    onDone: ({ id }) => {
      onClose();
      onOpen(id);
    },
  });
  return (
    <FormDialog
      onClose={onClose}
      width="narrow"
      title="New dashboard"
      description="Everyone in the project can open it, and you can share its URL."
      action="Create dashboard"
      onSubmit={(form) => create.mutateAsync(form)}
    >
      <TextField label="Name" name="name" required maxLength={200} autoComplete="off" />
    </FormDialog>
  );
}

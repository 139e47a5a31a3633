import type { CreateSavedView, SavedView } from "@millrace/contract/projects/saved-views";
import { Bookmark, Trash2 } from "lucide-react";
import { useState } from "react";
import { useDisabledReason, useMay } from "../../api/me.ts";
import { type Page, useApi, useChange } from "../../api/use-api.ts";
import { useFirstLoadDone } from "../../api/use-first-load-done.ts";
import { Button } from "../../parts/form/button.tsx";
import { FormDialog } from "../../parts/form/form-dialog.tsx";
import { TextField } from "../../parts/form/text-field.tsx";
import { ConfirmDialog } from "../../parts/overlay/confirm-dialog.tsx";
import { Menu } from "../../parts/overlay/menu.tsx";
import { useCommands } from "../../shell/command-menu/commands.ts";
import { useSearchParams } from "../../shell/place/place.ts";

type Props = {
  resource: SavedView["resource"];
  /** The URL parameters that make up a view. */
  names: readonly string[];
};

const PATH = "/v1/saved-views";

/** Saves what the URL shows under a name, for everyone in the project, and opens it again. */
export function SavedViews({ resource, names }: Props) {
  const [search, change] = useSearchParams();
  const noSave = useDisabledReason("analytics:write");
  const isTime = useFirstLoadDone();
  const isOn = useMay("analytics:read") && isTime;
  const { data } = useApi<Page<SavedView>>(PATH, { resource, limit: 100 }, isOn);
  const [open, setOpen] = useState<"save" | SavedView>();
  // Others were saved elsewhere, with parameters that this page does not have.
  const views = (data?.data ?? []).filter(({ query }) => Object.keys(query).every((name) => names.includes(name)));
  const query = Object.fromEntries(names.flatMap((name) => (search[name] ? [[name, search[name]]] : [])));
  const show = (view: SavedView) => change(Object.fromEntries(names.map((name) => [name, view.query[name]])));
  const current = views.find((view) => JSON.stringify(sorted(view.query)) === JSON.stringify(sorted(query)));
  useCommands([
    { label: "Save this view", run: () => noSave ?? setOpen("save") },
    ...views.map((view) => ({ label: `View: ${view.name}`, run: () => show(view) })),
  ]);
  return (
    <>
      <Menu
        label="Saved views"
        align="end"
        trigger={<Button icon={<Bookmark size={14} />}>{current?.name ?? "Views"}</Button>}
        items={[
          ...views.map((view) => ({
            label: view.name,
            hint: view.created_by,
            checked: view.id === current?.id,
            onSelect: () => show(view),
          })),
          ...(views.length > 0 ? [{ kind: "line" as const }] : []),
          {
            label: "Save this view",
            icon: <Bookmark size={14} />,
            disabledReason: noSave,
            onSelect: () => setOpen("save"),
          },
          ...(current
            ? [
                {
                  label: `Delete ${current.name}`,
                  icon: <Trash2 size={14} />,
                  danger: true,
                  disabledReason: noSave,
                  onSelect: () => setOpen(current),
                },
              ]
            : []),
        ]}
      />
      {open === "save" && <SaveView resource={resource} query={query} onClose={() => setOpen(undefined)} />}
      {open !== undefined && open !== "save" && <DeleteView view={open} onClose={() => setOpen(undefined)} />}
    </>
  );
}

type SaveProps = { resource: SavedView["resource"]; query: Record<string, string>; onClose: () => void };

function SaveView({ resource, query, onClose }: SaveProps) {
  const save = useChange<FormData, SavedView>({
    run: (form, send) =>
      send("POST", PATH, { name: String(form.get("name")).trim(), resource, query } satisfies CreateSavedView),
    done: "View saved",
    invalidates: [PATH],
    onDone: onClose,
  });
  return (
    <FormDialog
      onClose={onClose}
      width="narrow"
      title="Save view"
      description="Everyone in the project can open it, and you can share its URL."
      action="Save view"
      onSubmit={(form) => save.mutateAsync(form)}
    >
      <TextField label="Name" name="name" required maxLength={200} autoComplete="off" />
    </FormDialog>
  );
}

function DeleteView({ view: { id, name }, onClose }: { view: SavedView; onClose: () => void }) {
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
      title={`Delete the view ${name}?`}
      action="Delete view"
      onConfirm={() => remove.mutateAsync()}
    >
      <p>It is deleted for everyone in the project.</p>
    </ConfirmDialog>
  );
}

function sorted(query: Record<string, string>): [string, string][] {
  return Object.entries(query).sort(([a], [b]) => (a < b ? -1 : 1));
}

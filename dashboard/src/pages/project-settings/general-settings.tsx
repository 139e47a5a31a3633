import type { Project, UpdateProject } from "@millrace/contract/projects/projects";
import { useQueryClient } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { useState } from "react";
import { useDisabledReason } from "../../api/me.ts";
import { useChange } from "../../api/use-api.ts";
import { Button } from "../../parts/form/button.tsx";
import { TextField } from "../../parts/form/text-field.tsx";
import { useSubmit } from "../../parts/form/use-submit.ts";
import { Id } from "../../parts/id.tsx";
import { ErrorState } from "../../parts/state/error-state.tsx";
import { placeOf, usePlace } from "../../shell/place/place.ts";

/** Name, slug and limits. A new slug changes the addresses of all pages. */
export function GeneralSettings({ project }: { project: Project }) {
  const [form, setForm] = useState(() => formOf(project));
  const noWrite = useDisabledReason("projects:write");
  const { environment } = usePlace();
  const { history } = useRouter();
  const client = useQueryClient();
  const body = changesIn(formOf(project), form);
  const set = (field: keyof typeof form) => (value: string) => setForm((before) => ({ ...before, [field]: value }));
  const save = useChange<UpdateProject, Project>({
    run: (changes, send) => send("PATCH", `/v1/projects/${project.id}`, changes),
    done: "Project saved",
    invalidates: ["/v1/projects"],
    onDone: ({ slug }) => {
      const move = () => history.replace(placeOf(slug, environment).at("project-settings"));
      void client.invalidateQueries({ queryKey: ["projects"] }).then(slug === project.slug ? undefined : move);
    },
  });
  const { error, isBusy, send } = useSubmit(() => save.mutateAsync(body));
  const isChanged = Object.keys(body).length > 0;
  return (
    <form
      className="flex max-w-2xl flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        if (!noWrite && isChanged) void send();
      }}
    >
      <TextField label="Name" required maxLength={200} autoComplete="off" value={form.name} onChange={set("name")} />
      <TextField
        label="Slug"
        hint="Part of the URL of every page. API requests accept it instead of the id."
        required
        maxLength={63}
        pattern="[a-z0-9]+(-[a-z0-9]+)*"
        mono
        autoComplete="off"
        value={form.slug}
        onChange={set("slug")}
      />
      <TextField label="Description" autoComplete="off" value={form.description} onChange={set("description")} />
      <TextField
        label="Organization"
        hint="Optional label that groups projects."
        maxLength={100}
        autoComplete="off"
        value={form.org_id}
        onChange={set("org_id")}
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          label="Max. open waits"
          hint="Leave empty to use the default of the service."
          type="number"
          min={0}
          max={100_000_000}
          value={form.max_active_event_triggers}
          onChange={set("max_active_event_triggers")}
        />
        <TextField
          label="Compute rate (micro-USD per second)"
          type="number"
          min={0}
          max={1_000_000_000}
          required
          value={form.compute_rate_microusd_per_sec}
          onChange={set("compute_rate_microusd_per_sec")}
        />
      </div>
      <div className="flex items-center gap-2 text-ink-2 text-xs">
        Project id <Id value={project.id} head={8} tail={12} />
      </div>
      {error !== undefined && <ErrorState error={error} as="banner" />}
      <div>
        <Button
          type="submit"
          kind="primary"
          busy={isBusy}
          disabledReason={noWrite ?? (isChanged ? undefined : "No changes to save.")}
        >
          Save project
        </Button>
      </div>
    </form>
  );
}

function formOf(project: Project) {
  return {
    name: project.name,
    slug: project.slug,
    description: project.description ?? "",
    org_id: project.org_id ?? "",
    max_active_event_triggers: String(project.max_active_event_triggers ?? ""),
    compute_rate_microusd_per_sec: String(project.compute_rate_microusd_per_sec),
  };
}

type Form = ReturnType<typeof formOf>;
const NUMBERS = new Set(["max_active_event_triggers", "compute_rate_microusd_per_sec"]);

function changesIn(before: Form, form: Form): UpdateProject {
  const changed = Object.entries(form).filter(([field, value]) => before[field as keyof Form] !== value);
  return Object.fromEntries(
    changed.map(([field, value]) => [
      field,
      value.trim() === "" ? null : NUMBERS.has(field) ? Number(value) : value.trim(),
    ]),
  ) as UpdateProject;
}

import type { Project } from "@millrace/contract/projects/projects";
import { useState } from "react";
import { useDisabledReason } from "../../api/me.ts";
import { useChange } from "../../api/use-api.ts";
import { Button } from "../../parts/form/button.tsx";
import { TypedConfirm } from "../../parts/overlay/confirm-dialog.tsx";

/** Deletes the project, once its slug has been typed. */
export function DangerZone({ project }: { project: Project }) {
  const [isDeleting, setDeleting] = useState(false);
  const noWrite = useDisabledReason("projects:write");
  const remove = useChange({
    run: (_, send) => send("DELETE", `/v1/projects/${project.id}`),
    // The whole page belongs to the project, so everything is reloaded.
    onDone: () => location.assign("/"),
  });
  return (
    <section aria-label="Danger zone" className="card flex max-w-2xl flex-wrap items-center gap-4 border-failed p-4">
      <div className="min-w-60 flex-1">
        <h2 className="font-medium">Delete this project</h2>
        <p className="text-ink-2">
          Its API keys stop working immediately, and all its jobs, workflows and runs become inaccessible.
        </p>
      </div>
      <Button kind="danger" disabledReason={noWrite} onClick={() => setDeleting(true)}>
        Delete project
      </Button>
      <TypedConfirm
        open={isDeleting}
        onClose={() => setDeleting(false)}
        title={`Delete ${project.name}?`}
        action="Delete project"
        typed={project.slug}
        onConfirm={() => remove.mutateAsync()}
      >
        <p>This cannot be undone.</p>
      </TypedConfirm>
    </section>
  );
}

import type { Environment } from "@millrace/contract/projects/environments";
import { Eye, EyeOff, Pencil, Trash2 } from "lucide-react";
import { useState } from "react";
import { useChange } from "../../api/use-api.ts";
import { CopyButton } from "../../parts/code/copy-button.tsx";
import { IconButton } from "../../parts/form/icon-button.tsx";
import { plural } from "../../parts/format.ts";
import { TypedConfirm } from "../../parts/overlay/confirm-dialog.tsx";
import { Badge } from "../../parts/state/badge.tsx";
import { environmentColor } from "../../shell/place/environment-color.ts";
import { type Resolved, resolveVariables } from "./resolve-variables.ts";

const MASK = "••••••••";

type Props = {
  environment: Environment;
  all: Environment[];
  disabledReason: string | undefined;
  onEdit: () => void;
};

/** One environment with its variables. Values are in the DOM only while they are shown. */
export function EnvironmentCard({ environment, all, disabledReason, onEdit }: Props) {
  const [isShown, setShown] = useState(false);
  const [isDeleting, setDeleting] = useState(false);
  const { name, slug, parent_id, is_standard } = environment;
  const variables = resolveVariables(environment, all);
  const parent = all.find(({ id }) => id === parent_id);
  return (
    <section className="card" aria-label={name}>
      <header className="flex min-h-12 flex-wrap items-center gap-x-2 gap-y-1 px-4 py-2">
        <span className={`size-2 rounded-full ${environmentColor(slug)}`} aria-hidden="true" />
        <h2 className="font-medium">{name}</h2>
        <code className="font-mono text-ink-3 text-xs">{slug}</code>
        {is_standard && <Badge>standard</Badge>}
        {parent && <span className="text-ink-2">inherits from {parent.name}</span>}
        <span className="ml-auto text-ink-3">
          {variables.length === 0 ? "No variables" : plural(variables.length, "variable")}
        </span>
        <span className="flex">
          {variables.length > 0 && (
            <IconButton
              label={isShown ? "Hide values" : "Show values"}
              pressed={isShown}
              icon={isShown ? <EyeOff size={15} /> : <Eye size={15} />}
              onClick={() => setShown(!isShown)}
            />
          )}
          <IconButton
            label={`Edit ${name}`}
            disabledReason={disabledReason}
            icon={<Pencil size={15} />}
            onClick={onEdit}
          />
          <IconButton
            label={`Delete ${name}`}
            disabledReason={disabledReason ?? (is_standard ? "Standard environments cannot be deleted." : undefined)}
            icon={<Trash2 size={15} />}
            onClick={() => setDeleting(true)}
          />
        </span>
      </header>
      {variables.length > 0 && <Variables variables={variables} isShown={isShown} />}
      {isDeleting && <DeleteEnvironment environment={environment} onClose={() => setDeleting(false)} />}
    </section>
  );
}

function Variables({ variables, isShown }: { variables: Resolved[]; isShown: boolean }) {
  return (
    <dl className="grid grid-cols-[minmax(120px,max-content)_1fr] border-t px-4 py-2 font-mono text-xs">
      {variables.map(({ name, value, from }) => (
        <div key={name} className="contents">
          <dt className="py-1 pr-6 break-all">{name}</dt>
          <dd className="flex min-w-0 items-center gap-1 text-ink-2">
            <span className="truncate">{isShown ? value || "(empty)" : MASK}</span>
            <CopyButton text={() => value} label={`Copy value of ${name}`} />
            {from && <span className="truncate font-sans text-ink-3">from {from}</span>}
          </dd>
        </div>
      ))}
    </dl>
  );
}

function DeleteEnvironment({
  environment: { id, name, slug },
  onClose,
}: {
  environment: Environment;
  onClose: () => void;
}) {
  const remove = useChange({
    run: (_, send) => send("DELETE", `/v1/environments/${id}`),
    done: `${name} deleted`,
    invalidates: ["/v1/environments"],
  });
  return (
    <TypedConfirm
      open
      onClose={onClose}
      title={`Delete ${name}?`}
      action="Delete environment"
      typed={slug}
      onConfirm={() => remove.mutateAsync()}
    >
      <p>
        Its variables are deleted with it. If API keys, schedules, other environments or other objects still use it,
        nothing is deleted, and they are listed instead.
      </p>
    </TypedConfirm>
  );
}

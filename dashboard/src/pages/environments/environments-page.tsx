import type { Environment } from "@millrace/contract/environments";
import { Eye, EyeOff, Plus } from "lucide-react";
import { useState } from "react";
import { useDisabledReason } from "../../api/me.ts";
import { useApiList } from "../../api/use-api.ts";
import { AsCode } from "../../parts/code/as-code.tsx";
import { CopyButton } from "../../parts/code/copy-button.tsx";
import { Button } from "../../parts/form/button.tsx";
import { IconButton } from "../../parts/form/icon-button.tsx";
import { plural } from "../../parts/format.ts";
import { PageBody, PageHeader } from "../../parts/page-header.tsx";
import { Badge } from "../../parts/state/badge.tsx";
import { EmptyState } from "../../parts/state/empty-state.tsx";
import { ErrorState } from "../../parts/state/error-state.tsx";
import { SkeletonLines } from "../../parts/state/skeleton.tsx";
import { environmentColor } from "../../shell/environment-color.ts";
import { codeOf } from "../code-of.ts";
import { AddEnvironment } from "./add-environment.tsx";

const MASK = "••••••••";

/** Environments and their variables. */
export default function EnvironmentsPage() {
  const list = useApiList<Environment>("/v1/environments", { limit: 100, order: "asc" });
  const disabledReason = useDisabledReason("environments:write");
  const [isAdding, setAdding] = useState(false);
  return (
    <>
      <PageHeader
        title="Environments"
        actions={
          <>
            <AsCode about="Environments" code={codeOf({ method: "GET", path: "/v1/environments" })} />
            <Button
              kind="primary"
              icon={<Plus size={15} />}
              disabledReason={disabledReason}
              onClick={() => setAdding(true)}
            >
              Add environment
            </Button>
          </>
        }
      />
      <PageBody className="flex flex-col gap-3">
        {list.error && (
          <ErrorState error={list.error} as={list.rows ? "banner" : "block"} onRetry={() => void list.refetch()} />
        )}
        {!list.rows && !list.error && <SkeletonLines />}
        {list.rows?.length === 0 && <EmptyState title="No environments" />}
        {list.rows?.map((environment) => (
          <EnvironmentCard key={environment.id} environment={environment} all={list.rows ?? []} />
        ))}
      </PageBody>
      <AddEnvironment open={isAdding} onClose={() => setAdding(false)} all={list.rows ?? []} />
    </>
  );
}

/** Values are in the document only while they are shown. */
function EnvironmentCard({ environment, all }: { environment: Environment; all: Environment[] }) {
  const [isShown, setShown] = useState(false);
  const { name, slug, parent_id, variables, is_standard } = environment;
  const names = Object.keys(variables).sort();
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
          {names.length === 0 ? "No variables" : plural(names.length, "variable")}
        </span>
        {names.length > 0 && (
          <IconButton
            label={isShown ? "Hide values" : "Show values"}
            pressed={isShown}
            icon={isShown ? <EyeOff size={15} /> : <Eye size={15} />}
            onClick={() => setShown(!isShown)}
          />
        )}
      </header>
      {names.length > 0 && (
        <dl className="grid grid-cols-[minmax(120px,max-content)_1fr] border-t px-4 py-2 font-mono text-xs">
          {names.map((variable) => (
            <div key={variable} className="contents">
              <dt className="py-1 pr-6">{variable}</dt>
              <dd className="flex min-w-0 items-center gap-1 text-ink-2">
                <span className="truncate">{isShown ? variables[variable] || "(empty)" : MASK}</span>
                <CopyButton text={() => variables[variable] ?? ""} label={`Copy value of ${variable}`} />
              </dd>
            </div>
          ))}
        </dl>
      )}
    </section>
  );
}

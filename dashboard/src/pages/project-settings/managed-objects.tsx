import type { ProjectConfig } from "@millrace/contract/projects/project-config";
import { useApi } from "../../api/use-api.ts";
import { CodeBlock } from "../../parts/code/code-block.tsx";
import { EmptyState } from "../../parts/state/empty-state.tsx";
import { ErrorState } from "../../parts/state/error-state.tsx";
import { SkeletonLines } from "../../parts/state/skeleton.tsx";
import { Time } from "../../parts/time.tsx";

/** What `millrace apply` manages. Changes made here are reverted by the next apply. */
export function ManagedObjects() {
  const { data, error, refetch } = useApi<ProjectConfig>("/v1/project-config");
  if (!data) return error ? <ErrorState error={error} onRetry={() => void refetch()} /> : <SkeletonLines lines={4} />;
  if (data.objects.length === 0) {
    return (
      <EmptyState
        small
        title="Nothing is managed as code"
        code={<CodeBlock code={"millrace export\nmillrace apply"} />}
      >
        Keep jobs, workflows and settings in version control, and apply them.
      </EmptyState>
    );
  }
  return (
    <div className="flex max-w-3xl flex-col gap-3">
      <p className="text-ink-2">
        Revision {data.revision}
        {data.updated_by && `, applied by ${data.updated_by}`} <Time at={data.updated_at} />. Changes made elsewhere are
        reverted by the next apply.
      </p>
      <ul aria-label="Managed objects" className="card divide-y">
        {data.objects.map(({ owner, kind, key }) => (
          <li key={`${owner} ${kind} ${key}`} className="flex min-h-9 items-center gap-3 px-4">
            <span className="w-40 flex-none text-ink-2">{kind.replaceAll("_", " ")}</span>
            <code className="min-w-0 truncate font-mono text-xs">{key}</code>
            <span className="ml-auto text-ink-3 text-xs">{owner}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}

import { LifeBuoy, RotateCw } from "lucide-react";
import { useMe } from "../../api/me.ts";
import { AsCode } from "../../parts/code/as-code.tsx";
import { downloadText } from "../../parts/code/download.ts";
import { Button } from "../../parts/form/button.tsx";
import { PageBody, PageHeader } from "../../parts/page-header.tsx";
import { ErrorState } from "../../parts/state/error-state.tsx";
import { useCommands } from "../../shell/command-menu/commands.ts";
import { codeOf } from "../code-of.ts";
import { useReadiness } from "../use-readiness.ts";
import { BackgroundTasks } from "./background-tasks.tsx";
import { Checks } from "./checks.tsx";
import { Findings } from "./findings.tsx";
import { Instances } from "./instances.tsx";
import { Invariants } from "./invariants.tsx";
import { Routes } from "./routes.tsx";
import { supportBundle } from "./support-bundle.ts";
import { useMetrics } from "./use-metrics.ts";
import { useSystem } from "./use-system.ts";
import { Vitals } from "./vitals.tsx";

/** Readiness, load and diagnostics of the service. */
export default function SystemHealthPage() {
  const { data: readiness, error, refetch, isFetching } = useReadiness();
  const isOperator = useMe().data?.kind === "internal_secret";
  const system = useSystem(isOperator);
  const metrics = useMetrics(isOperator);
  const checkAgain = () => void Promise.all([refetch(), ...(isOperator ? [system.refetch(), metrics.refetch()] : [])]);
  const download = () => {
    const text = supportBundle({ readiness, system: system.data, metrics: metrics.text });
    downloadText(`millrace-support-${new Date().toISOString().slice(0, 10)}.json`, text, "application/json");
  };
  const noBundle = isOperator ? undefined : "Sign in with the internal secret to download it.";
  useCommands([
    { label: "Refresh system health", run: checkAgain },
    { label: "Download support bundle", run: () => noBundle ?? download() },
  ]);
  const checks = <Checks readiness={readiness} hasFailed={error !== null} />;
  const failure = error ?? system.error ?? metrics.error;
  return (
    <div className="min-h-0 flex-1 overflow-y-auto">
      <PageHeader
        title="System health"
        actions={
          <>
            <AsCode about="System health" code={codeOfPage(isOperator)} />
            <Button icon={<LifeBuoy size={14} />} disabledReason={noBundle} onClick={download}>
              Download support bundle
            </Button>
            <Button icon={<RotateCw size={14} />} busy={isFetching || system.isFetching} onClick={checkAgain}>
              Refresh
            </Button>
          </>
        }
      />
      <PageBody className="flex flex-col gap-4">
        {failure && <ErrorState as="banner" error={failure} onRetry={checkAgain} />}
        {isOperator && <Vitals system={system.data} seen={metrics.seen} />}
        {isOperator ? (
          <div className="grid items-start gap-4 lg:grid-cols-2">
            <div className="flex min-w-0 flex-col gap-4">
              {checks}
              <Instances system={system.data} />
              <BackgroundTasks samples={metrics.samples} system={system.data} />
            </div>
            <div className="flex min-w-0 flex-col gap-4">
              <Findings system={system.data} />
              <Invariants system={system.data} />
              <Routes samples={metrics.samples} />
            </div>
          </div>
        ) : (
          checks
        )}
        {!isOperator && (
          <p className="text-ink-2">Sign in with the internal secret to see versions, database details and load.</p>
        )}
      </PageBody>
    </div>
  );
}

function codeOfPage(isOperator: boolean) {
  return codeOf({ method: "GET", path: isOperator ? "/v1/system" : "/health/ready" }, { cli: "millrace doctor" });
}

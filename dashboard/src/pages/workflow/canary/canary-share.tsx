import type { AutoPromoteConfig, CanaryComparison } from "@millrace/contract/workflows/canaries";
import { type CSSProperties, useEffect, useId, useRef, useState } from "react";
import { useDisabledReason } from "../../../api/me.ts";
import { useChange } from "../../../api/use-api.ts";
import { Button } from "../../../parts/form/button.tsx";
import { formatDuration, formatPercent } from "../../../parts/format.ts";
import { ConfirmDialog } from "../../../parts/overlay/confirm-dialog.tsx";
import { Segments } from "../../../parts/tabs.tsx";

const STOPS = [0, 1, 5, 10, 25, 50, 100];
const DEBOUNCE_MS = 600;

/** Traffic share of the target version; promote and roll back. */
export function CanaryShare({ canary }: { canary: CanaryComparison }) {
  const noWrite = useDisabledReason("workflows:write");
  const slider = useId();
  const { share, move, saveState } = useShare(canary);
  return (
    <section aria-label="Canary traffic" className="card flex flex-col gap-4 p-4">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <label htmlFor={slider} className="font-medium">
          New runs on version {canary.target_version}
        </label>
        <output htmlFor={slider} className="font-semibold text-xl">
          {share}%
        </output>
        <span className="text-ink-3 text-xs" aria-live="polite">
          {saveState}
        </span>
        <EndCanary canary={canary} disabledReason={noWrite} />
      </div>
      <input
        id={slider}
        type="range"
        min={0}
        max={100}
        value={share}
        disabled={noWrite !== undefined}
        title={noWrite}
        aria-valuetext={`${share} percent`}
        onChange={(event) => move(Number(event.target.value))}
        className="w-full"
        style={{ "--at": share / 100 } as CSSProperties}
      />
      <div className="flex max-w-full overflow-x-auto">
        <Segments
          label="Traffic presets"
          value={String(share)}
          options={STOPS.map((stop) => ({ id: String(stop), label: `${stop}%` }))}
          onChange={(stop) => noWrite === undefined && move(Number(stop))}
        />
      </div>
      <AutoPromote config={canary.auto_promote_config} />
    </section>
  );
}

/** Debounced, so that one move sends one request. */
function useShare({ workflow_id, traffic_pct, target_version }: CanaryComparison) {
  const [share, setShare] = useState(traffic_pct);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  useEffect(() => setShare(traffic_pct), [traffic_pct]);
  const path = `/v1/workflows/${workflow_id}/canary`;
  const change = useChange<number>({
    run: (pct, send) => send("PATCH", path, { traffic_pct: pct }),
    done: (_, pct) => `${pct}% of new runs use version ${target_version}`,
    invalidates: [path],
  });
  const move = (next: number) => {
    setShare(next);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => change.mutate(next), DEBOUNCE_MS);
  };
  return { share, move, saveState: change.isPending ? "Saving" : share === traffic_pct ? "Saved" : "Unsaved" };
}

function EndCanary({ canary, disabledReason }: { canary: CanaryComparison; disabledReason: string | undefined }) {
  const [pendingVerb, setPendingVerb] = useState<"promote" | "rollback">();
  const end = useChange<"promote" | "rollback">({
    run: (verb, send) => send("POST", `/v1/workflows/${canary.workflow_id}/canary/${verb}`),
    done: (_, verb) => (verb === "promote" ? `Version ${canary.target_version} is current` : "Canary rolled back"),
    invalidates: ["/v1/workflows"],
  });
  return (
    <span className="ml-auto flex gap-2">
      <Button disabledReason={disabledReason} onClick={() => setPendingVerb("rollback")}>
        Roll back
      </Button>
      <Button kind="primary" disabledReason={disabledReason} onClick={() => setPendingVerb("promote")}>
        Promote
      </Button>
      <ConfirmDialog
        open={pendingVerb !== undefined}
        danger={pendingVerb === "rollback"}
        onClose={() => setPendingVerb(undefined)}
        title={pendingVerb === "rollback" ? "Roll back the canary?" : `Promote version ${canary.target_version}?`}
        action={pendingVerb === "rollback" ? "Roll back" : "Promote"}
        onConfirm={async () => pendingVerb && (await end.mutateAsync(pendingVerb))}
      >
        <p>
          {pendingVerb === "rollback"
            ? `All new runs use version ${canary.source_version} again. Runs in flight stay on their version.`
            : `All new runs use version ${canary.target_version}, which becomes the current version.`}
        </p>
      </ConfirmDialog>
    </span>
  );
}

function AutoPromote({ config }: { config: AutoPromoteConfig | null }) {
  if (!config?.enabled)
    return <p className="text-ink-2 text-xs">Automatic promotion is off. Promote or roll back manually.</p>;
  return (
    <p className="text-ink-2 text-xs">
      Automatic promotion: {config.steps.map((step) => `${step}%`).join(", ")}, each for at least{" "}
      {formatDuration(config.interval_secs * 1_000)} and {config.min_runs} runs. Rolls back when the failure rate is
      more than {formatPercent(config.max_failure_rate_increase)} (absolute) above the source's.
    </p>
  );
}

import type { AutoPromoteConfig, CanaryComparison } from "@millrace/contract/canaries";
import { useEffect, useId, useRef, useState } from "react";
import { useRefusal } from "../../api/me.ts";
import { useChange } from "../../api/use-api.ts";
import { Button } from "../../parts/button.tsx";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { formatDuration, formatPercent } from "../../parts/format.ts";
import { Segments } from "../../parts/tabs.tsx";

const STOPS = [0, 1, 5, 10, 25, 50, 100];
const SETTLE_MS = 600;

/** The share of new runs that takes the target. It is sent when the hand rests, once. */
export function CanaryShare({ canary }: { canary: CanaryComparison }) {
  const [share, setShare] = useState(canary.traffic_pct);
  const [asked, setAsked] = useState<"promote" | "rollback">();
  const noWrite = useRefusal("workflows:write");
  const slider = useId();
  const path = `/v1/workflows/${canary.workflow_id}/canary`;
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  useEffect(() => setShare(canary.traffic_pct), [canary.traffic_pct]);
  const change = useChange<number>({
    run: (traffic_pct, send) => send("PATCH", path, { traffic_pct }),
    done: (_, traffic_pct) => `${traffic_pct} % of new runs take version ${canary.target_version}`,
    outdates: [path],
  });
  const end = useChange<"promote" | "rollback">({
    run: (verb, send) => send("POST", `${path}/${verb}`),
    done: (_, verb) => (verb === "promote" ? `Version ${canary.target_version} is current` : "Canary rolled back"),
    outdates: ["/v1/workflows"],
  });
  const move = (next: number) => {
    setShare(next);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => change.mutate(next), SETTLE_MS);
  };
  return (
    <section aria-label="Share of the canary" className="card flex flex-col gap-4 p-4">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <label htmlFor={slider} className="font-medium">
          New runs that take version {canary.target_version}
        </label>
        <output htmlFor={slider} className="font-semibold text-xl">
          {share} %
        </output>
        <span className="text-ink-3 text-xs" aria-live="polite">
          {change.isPending ? "Saving" : share === canary.traffic_pct ? "Saved" : "Changed"}
        </span>
        <span className="ml-auto flex gap-2">
          <Button refusal={noWrite} onClick={() => setAsked("rollback")}>
            Roll back
          </Button>
          <Button kind="primary" refusal={noWrite} onClick={() => setAsked("promote")}>
            Promote
          </Button>
        </span>
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
        className="w-full accent-accent"
      />
      <div className="flex max-w-full overflow-x-auto">
        <Segments
          label="Usual shares"
          value={String(share)}
          options={STOPS.map((stop) => ({ id: String(stop), label: `${stop} %` }))}
          onChange={(stop) => noWrite === undefined && move(Number(stop))}
        />
      </div>
      <AutoPromote config={canary.auto_promote_config} />
      <ConfirmDialog
        open={asked !== undefined}
        danger={asked === "rollback"}
        onClose={() => setAsked(undefined)}
        title={asked === "rollback" ? "Roll the canary back?" : `Promote version ${canary.target_version}?`}
        action={asked === "rollback" ? "Roll back" : "Promote"}
        onConfirm={async () => asked && (await end.mutateAsync(asked))}
      >
        <p>
          {asked === "rollback"
            ? `All new runs take version ${canary.source_version} again. Runs in flight stay where they are.`
            : `All new runs take version ${canary.target_version} from now on, and it becomes the current version.`}
        </p>
      </ConfirmDialog>
    </section>
  );
}

function AutoPromote({ config }: { config: AutoPromoteConfig | null }) {
  if (!config?.enabled)
    return <p className="text-ink-2 text-xs">Nothing happens by itself: you promote or roll back.</p>;
  return (
    <p className="text-ink-2 text-xs">
      It goes on by itself: {config.steps.map((step) => `${step} %`).join(", ")}, each for at least{" "}
      {formatDuration(config.interval_secs * 1_000)} and {config.min_runs} runs, and is rolled back when the error rate
      rises by more than {formatPercent(config.max_failure_rate_increase)}.
    </p>
  );
}

import type { RunBlocker, RunExplanation } from "@millrace/contract/runs/run-explanation";
import type { Run } from "@millrace/contract/runs/runs";
import { RefreshCw } from "lucide-react";
import { useState } from "react";
import { useDisabledReason } from "../../api/me.ts";
import { useApi, useChange } from "../../api/use-api.ts";
import { Json } from "../../parts/code/json.tsx";
import { Button } from "../../parts/form/button.tsx";
import { IconButton } from "../../parts/form/icon-button.tsx";
import { plural, withMoments } from "../../parts/format.ts";
import { useSettings } from "../../parts/settings.ts";
import { Countdown } from "../../parts/state/countdown.tsx";
import { ErrorState } from "../../parts/state/error-state.tsx";
import { SkeletonLines } from "../../parts/state/skeleton.tsx";
import { StatusMark } from "../../parts/state/status-mark.tsx";
import { Time } from "../../parts/time.tsx";
import { SendEvent } from "../shared-events/send-event.tsx";

/** Why a run is not running: a summary, then every blocker with its remedy. */
export function WhyNotRunning({ run }: { run: Run }) {
  const { zone } = useSettings();
  const { data, error, refetch, isFetching } = useApi<RunExplanation>(`/v1/runs/${run.id}/explain`);
  return (
    <section aria-label="Why it is not running" className="card overflow-hidden">
      <header className="flex min-h-11 flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2">
        <StatusMark status={run.status === "pending" ? "queued" : run.status} as="mark" />
        <h2 className="min-w-0 flex-1 font-medium">
          {data ? withMoments(data.summary, zone) : "Why is this run not running?"}
        </h2>
        {data?.would_start_at && (
          <span className="flex items-center gap-1.5 text-ink-2 text-xs">
            starts in <Countdown until={data.would_start_at} ended="a moment" />
          </span>
        )}
        <IconButton
          label="Refresh"
          size="small"
          icon={<RefreshCw size={14} className={isFetching ? "animate-spin" : ""} />}
          onClick={() => void refetch()}
        />
      </header>
      {error && <ErrorState error={error} as="banner" onRetry={() => void refetch()} />}
      {!data && !error && (
        <div className="px-4 pb-3">
          <SkeletonLines lines={2} />
        </div>
      )}
      {data?.queue_position && data.blockers.length === 0 && (
        <p className="border-t px-4 py-2.5 text-ink-2">
          {plural(data.queue_position.ahead, "run")} ahead in the queue for{" "}
          <code className="font-mono text-xs">{data.queue_position.host}</code>,{" "}
          {plural(data.queue_position.engines_alive, "engine instance")} running.
        </p>
      )}
      {data?.blockers.map((blocker) => (
        <Blocker key={`${blocker.code} ${blocker.message}`} blocker={blocker} summary={data.summary} />
      ))}
    </section>
  );
}

function Blocker({ blocker, summary }: { blocker: RunBlocker; summary: string }) {
  const { zone } = useSettings();
  const { code, message, since, until, evidence, remedy } = blocker;
  return (
    <div className="flex flex-wrap items-start gap-x-4 gap-y-2 border-t px-4 py-3">
      <div className="flex min-w-60 flex-1 flex-col gap-1">
        {message !== summary && <p>{withMoments(message, zone)}</p>}
        <p className="text-ink-2">{remedy.message}</p>
        <details className="text-xs">
          <summary className="cursor-pointer text-ink-3">
            <code className="font-mono">{code}</code>
            {since && (
              <>
                {" "}
                since <Time at={since} />
              </>
            )}
          </summary>
          <Json value={evidence} className="mt-2" />
        </details>
      </div>
      {until && <Countdown until={until} {...(since && { from: since })} className="pt-1" />}
      <Remedy blocker={blocker} />
    </div>
  );
}

function Remedy({ blocker: { code, evidence, remedy } }: { blocker: RunBlocker }) {
  const [isSending, setSending] = useState(false);
  const maySend = useDisabledReason("events:send");
  const request = remedy.request;
  const act = useChange({
    run: async (_, send) => request && send(request.method, request.path, request.body),
    done: "Done",
    invalidates: ["/v1/runs", "/v1/jobs"],
  });
  if (code === "waiting_for_event" && typeof evidence.event_key === "string") {
    return (
      <>
        <Button kind="primary" size="small" disabledReason={maySend} onClick={() => setSending(true)}>
          Send event
        </Button>
        {isSending && <SendEvent eventKey={evidence.event_key} onClose={() => setSending(false)} />}
      </>
    );
  }
  if (!request) return null;
  return (
    <Button size="small" busy={act.isPending} title={`${request.method} ${request.path}`} onClick={() => act.mutate()}>
      {VERBS[code] ?? "Apply"}
    </Button>
  );
}

const VERBS: Record<string, string> = {
  paused_run: "Resume run",
  pause_requested: "Resume run",
  paused_job: "Resume job",
  paused_workflow_run: "Resume workflow run",
  not_due: "Start now",
};

import { Play, Trash2 } from "lucide-react";
import { useEffect, useState } from "react";
import { useMay } from "../../api/me.ts";
import { useLive } from "../../live/use-live.ts";
import { Button } from "../../parts/form/button.tsx";
import { Link } from "../../parts/link.tsx";
import { ConfirmDialog } from "../../parts/overlay/confirm-dialog.tsx";
import { Badge } from "../../parts/state/badge.tsx";
import { placeOf, usePlace } from "../place/place.ts";
import { useProjects } from "../place/use-places.ts";
import { DEMO_SLUG, isHere, useDemo, useRemoveDemo, useResumeDemo } from "./use-demo.ts";

/** Marks all pages of the demo project, offers its approval, and removes the demo. */
export function DemoBanner() {
  const { project } = usePlace();
  const shown = useProjects().data?.data.find(({ id, slug }) => id === project || slug === project);
  return (shown?.slug ?? project) === DEMO_SLUG && isHere() ? <Banner /> : null;
}

function Banner() {
  const { data: demo, isPending, refetch } = useDemo();
  const [isRemoving, setRemoving] = useState(false);
  const resume = useResumeDemo();
  const remove = useRemoveDemo();
  const mayRead = useMay("events:read"); // a forbidden topic would stop the whole stream
  useLive(
    demo && mayRead ? ["events"] : [],
    () => void refetch(),
    () => void refetch(),
  );
  const isQuiet = useQuiet(demo !== undefined && demo?.waiting == null);
  // Its height is reserved while loading, so that the page does not shift.
  if (!demo && !isPending) return null;
  const waiting = demo?.waiting;
  return (
    <section
      aria-label="Demo project"
      className="flex min-h-11 flex-none flex-wrap items-center gap-x-3 gap-y-1.5 border-b bg-selected px-3 py-1.5 sm:px-4 lg:px-6"
    >
      <Badge tone="accent">Demo</Badge>
      <p className="min-w-0 flex-1 basis-64 text-balance text-ink-2">
        {waiting ? <Invitation order={waiting.order} runId={waiting.workflow_run_id} /> : <WhatThisIs />}
      </p>
      <div className="flex flex-none gap-2">
        {(waiting || isQuiet) && (
          <Button
            size="small"
            kind={waiting ? "primary" : "default"}
            icon={<Play size={13} />}
            busy={resume.isPending}
            onClick={() => resume.mutate()}
          >
            {waiting ? "Approve" : "Start large order"}
          </Button>
        )}
        <Button size="small" icon={<Trash2 size={13} />} onClick={() => setRemoving(true)}>
          Remove demo
        </Button>
      </div>
      <ConfirmDialog
        danger
        open={isRemoving}
        onClose={() => setRemoving(false)}
        title="Remove the demo project?"
        action="Remove demo"
        onConfirm={remove}
      >
        <p>
          Deletes its jobs, workflows and runs. Other projects are not affected. The demo project is not created again.
        </p>
      </ConfirmDialog>
    </section>
  );
}

/** Your own key belongs to another project, so its jobs do not appear here. */
function WhatThisIs() {
  const own = useProjects().data?.data.find(({ slug }) => slug !== DEMO_SLUG);
  return (
    <>
      Sample data to explore and experiment with; nothing in it is real.
      {own && (
        <>
          {" "}
          Your own jobs go to{" "}
          <Link href={placeOf(own.slug, "production").at("home")} className="text-accent underline underline-offset-2">
            {own.name}
          </Link>
          .
        </>
      )}
    </>
  );
}

function Invitation({ order, runId }: { order: string; runId: string }) {
  const { at } = usePlace();
  return (
    <>
      <Link href={at(`workflow-runs/${runId}`)} className="font-medium text-ink underline underline-offset-2">
        Order {order}
      </Link>{" "}
      is waiting for your approval, on its run and in{" "}
      <Link href={at("approvals")} className="text-accent underline underline-offset-2">
        Approvals
      </Link>
      .
    </>
  );
}

const QUIET_AFTER_MS = 10_000;

/** An order reaches its approval after a few seconds; until then, another click would start a second order. */
function useQuiet(isNothingWaiting: boolean): boolean {
  const [isQuiet, setQuiet] = useState(false);
  useEffect(() => {
    setQuiet(false);
    if (!isNothingWaiting) return;
    const timer = setTimeout(() => setQuiet(true), QUIET_AFTER_MS);
    return () => clearTimeout(timer);
  }, [isNothingWaiting]);
  return isQuiet;
}

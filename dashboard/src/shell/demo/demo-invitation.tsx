import { Play } from "lucide-react";
import { Button } from "../../parts/form/button.tsx";
import { StatusMark } from "../../parts/state/status-mark.tsx";
import { useDemo, useResumeDemo } from "./use-demo.ts";

/** Offers the demo approval on the sign-in page of `millrace dev`. Sign-in then opens that run. */
export function DemoInvitation() {
  const { data: demo } = useDemo();
  const resume = useResumeDemo();
  if (!demo || (!demo.waiting && !resume.isSuccess)) return null;
  return (
    <section aria-label="Demo" className="card mt-4 flex flex-col gap-3 p-5">
      {resume.isSuccess ? (
        <p role="status">
          <StatusMark status="running" label="Approved." /> Sign in to watch it run.
        </p>
      ) : (
        <>
          <div>
            <h2 className="font-medium">
              <StatusMark
                status="waiting"
                label={`${demo.waiting ? `Order ${demo.waiting.order}` : "An order"} is waiting for your approval`}
              />
            </h2>
            <p className="mt-1 text-ink-2">The demo project has a workflow run that is waiting for approval.</p>
          </div>
          <Button icon={<Play size={14} />} busy={resume.isPending} onClick={() => resume.mutate()}>
            Approve
          </Button>
        </>
      )}
    </section>
  );
}

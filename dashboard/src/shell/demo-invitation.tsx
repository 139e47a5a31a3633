import { Play } from "lucide-react";
import { Button } from "../parts/button.tsx";
import { StatusMark } from "../parts/status-mark.tsx";
import { orderOf, useDemo, useResumeDemo } from "./use-demo.ts";

/** Beside the sign-in of `millrace dev`: something to do at once. What was let go is where the sign-in leads. */
export function DemoInvitation() {
  const { data: demo } = useDemo();
  const resume = useResumeDemo();
  if (!demo || (!demo.waiting && !resume.isSuccess)) return null;
  return (
    <section aria-label="Demo" className="card mt-4 flex flex-col gap-3 p-5">
      {resume.isSuccess ? (
        <p role="status">
          <StatusMark status="running" label="It goes on." /> Sign in to watch it: you will be led to it.
        </p>
      ) : (
        <>
          <div>
            <h2 className="font-medium">
              <StatusMark
                status="waiting"
                label={demo.waiting ? `Order ${orderOf(demo.waiting)} waits for you` : "An order waits for you"}
              />
            </h2>
            <p className="mt-1 text-ink-2">
              This installation has a demo project. A large order in it has stopped until somebody approves it.
            </p>
          </div>
          <Button icon={<Play size={14} />} busy={resume.isPending} onClick={() => resume.mutate()}>
            Let it go on
          </Button>
        </>
      )}
    </section>
  );
}

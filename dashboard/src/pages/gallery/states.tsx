import { Activity } from "lucide-react";
import { ApiProblem } from "../../api/problem.ts";
import { CodeBlock } from "../../parts/code/code-block.tsx";
import { Button } from "../../parts/form/button.tsx";
import { EmptyState } from "../../parts/state/empty-state.tsx";
import { ErrorState } from "../../parts/state/error-state.tsx";
import { SkeletonLines } from "../../parts/state/skeleton.tsx";
import { Shelf } from "./shelf.tsx";

const PROBLEM = new ApiProblem({
  title: "Conflict",
  detail: "The run has already finished.",
  remedy: "Replay it instead.",
  code: "run_already_ended",
  status: 409,
  request_id: "0b7c8f0e-3d6a-4f0b-9a0e-1d2c3b4a5968",
});
const INVALID = new ApiProblem({
  title: "Validation failed",
  detail: "Two fields are invalid.",
  code: "validation_failed",
  status: 422,
  errors: [{ location: "body.steps[2].event_key", message: "must not be empty", value: "" }],
});
const LIMITED = new ApiProblem({
  title: "Too many requests",
  detail: "The limit is 600 per minute.",
  code: "rate_limited",
  status: 429,
  retry_at: Date.now() + 42_000,
});

export function States() {
  return (
    <>
      <Shelf name="EmptyState" column>
        <div className="card">
          <EmptyState
            icon={<Activity size={20} />}
            title="No runs here yet"
            action={<Button kind="primary">Trigger a job</Button>}
            code={<CodeBlock code="millrace trigger send-mail" />}
          >
            A run is one execution of a job.
          </EmptyState>
        </div>
      </Shelf>
      <Shelf name="ErrorState" column>
        <ErrorState error={PROBLEM} onRetry={() => {}} />
        <ErrorState error={INVALID} as="banner" />
        <ErrorState error={LIMITED} as="banner" />
      </Shelf>
      <Shelf name="Skeleton" column>
        <SkeletonLines lines={3} />
      </Shelf>
    </>
  );
}

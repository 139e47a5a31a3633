import { RotateCw } from "lucide-react";
import { asProblem } from "../../api/problem.ts";
import { cx } from "../class-names.ts";
import { Button } from "../form/button.tsx";
import { Id } from "../id.tsx";
import { Countdown } from "./countdown.tsx";
import { MarkIcon } from "./status-mark.tsx";

type Props = {
  error: unknown;
  onRetry?: (() => void) | undefined;
  /** `banner`: above existing content. `block`: instead of it. */
  as?: "block" | "banner";
};

/** Title, cause, remedy and request id of an error. */
export function ErrorState({ error, onRetry, as = "block" }: Props) {
  const problem = asProblem(error);
  // The API's `detail` already lists its errors, so they are not repeated.
  const issues = problem.errors.filter(({ message }) => !problem.detail.includes(message));
  return (
    <div
      role="alert"
      className={cx(
        "flex items-start gap-3 text-left",
        as === "block" ? "card mx-auto my-10 max-w-[560px] p-4" : "border-b bg-surface px-4 py-2.5",
      )}
    >
      <MarkIcon shape="octagon" className="mt-[3px] text-failed" />
      <div className="min-w-0 flex-1">
        <p className="font-medium">{problem.title}</p>
        <p className="text-ink-2">
          {problem.detail} {problem.remedy}
        </p>
        {issues.length > 0 && (
          <ul className="mt-1.5 flex flex-col gap-0.5 text-ink-2">
            {issues.map(({ location, message }) => (
              <li key={`${location} ${message}`}>
                <code className="font-mono text-xs">{location}</code> {message}
              </li>
            ))}
          </ul>
        )}
        {problem.request_id && (
          <p className="mt-1.5 flex items-center gap-1.5 text-ink-3 text-xs">
            Request <Id value={problem.request_id} head={8} />
            {problem.code && (
              <a href={`/docs/errors/${problem.code}`} className="underline hover:text-ink">
                About this error
              </a>
            )}
          </p>
        )}
      </div>
      {problem.retry_at && <Countdown until={problem.retry_at} className="mt-1" />}
      {onRetry && (
        <Button size="small" icon={<RotateCw size={13} />} onClick={onRetry}>
          Try again
        </Button>
      )}
    </div>
  );
}

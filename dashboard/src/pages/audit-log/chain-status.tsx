import type { AuditVerification } from "@millrace/contract/projects/audit-events";
import { ShieldCheck } from "lucide-react";
import { useState } from "react";
import { call } from "../../api/call.ts";
import { Facts } from "../../parts/facts.tsx";
import { Button } from "../../parts/form/button.tsx";
import { useSubmit } from "../../parts/form/use-submit.ts";
import { formatCount, plural } from "../../parts/format.ts";
import { Id } from "../../parts/id.tsx";
import { Dialog } from "../../parts/overlay/dialog.tsx";
import { ErrorState } from "../../parts/state/error-state.tsx";
import { StatusMark } from "../../parts/state/status-mark.tsx";
import { Time } from "../../parts/time.tsx";
import { usePlace } from "../../shell/place/place.ts";

/** Verifies the hash chain in batches and reports whether the log is intact. */
export function ChainStatus() {
  const { project } = usePlace();
  const [isOpen, setOpen] = useState(false);
  const [found, setFound] = useState<AuditVerification>();
  const { error, isBusy, send } = useSubmit(() => verifyAll(project, setFound));
  const verify = () => {
    setOpen(true);
    void send();
  };
  return (
    <>
      <Button icon={<ShieldCheck size={15} />} busy={isBusy} onClick={verify}>
        Verify chain
      </Button>
      <Dialog open={isOpen} onClose={() => setOpen(false)} title="Audit log hash chain">
        {error !== undefined && <ErrorState as="banner" error={error} onRetry={verify} />}
        {found && <Found found={found} isBusy={isBusy} />}
        {!found && isBusy && <p className="text-ink-2">Recomputing hashes…</p>}
      </Dialog>
    </>
  );
}

/** Each call checks 50,000 events; the results are added up. */
async function verifyAll(project: string, onProgress: (found: AuditVerification) => void): Promise<void> {
  let sum: AuditVerification | undefined;
  let after: number | null = 0;
  while (after !== null) {
    const part: AuditVerification = await call<AuditVerification>("GET", "/v1/audit-events/verify", {
      project,
      query: { after },
    });
    sum = sum
      ? {
          ...part,
          valid: sum.valid && part.valid,
          checked: sum.checked + part.checked,
          issues: [...sum.issues, ...part.issues].slice(0, 100),
        }
      : part;
    onProgress(sum);
    after = part.next_after;
  }
}

function Found({ found, isBusy }: { found: AuditVerification; isBusy: boolean }) {
  const { valid, checked, unsealed, issues, head } = found;
  const verdict = isBusy ? "Verifying" : valid ? "Audit log is intact" : plural(issues.length, "problem");
  return (
    <div className="flex flex-col gap-4">
      <div role="status">
        <StatusMark status={valid ? "ok" : "failed"} label={verdict} as="badge" />
      </div>
      <Facts
        facts={[
          ["Checked", formatCount(checked)],
          ["Not sealed yet", unsealed > 0 ? formatCount(unsealed) : null],
          ["Latest event", head && `#${formatCount(head.count)}`],
          ["Sealed at", head && <Time key="s" at={head.sealed_at} />],
          ["Hash", head && <Id key="h" value={head.hash} head={16} tail={8} />],
          ["Public key", head && <Id key="p" value={head.public_key} head={16} tail={8} />],
        ]}
      />
      {issues.length > 0 && (
        <ul className="flex flex-col gap-1">
          {issues.map((issue) => (
            <li
              key={`${issue.kind} ${issue.chain_no} ${issue.event_id}`}
              className="rounded-sm border border-l-2 border-l-failed px-3 py-2"
            >
              <code className="font-mono text-xs">{issue.kind}</code> {issue.chain_no !== null && `#${issue.chain_no} `}
              <span className="text-ink-2">{issue.message}</span>
            </li>
          ))}
        </ul>
      )}
      <p className="text-ink-3 text-xs">
        Keep the public key and exports outside this system, to detect changes made directly in the database.
      </p>
    </div>
  );
}

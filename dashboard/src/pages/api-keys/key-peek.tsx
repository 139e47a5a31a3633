import type { ApiKey } from "@millrace/contract/access/api-keys";
import type { Environment } from "@millrace/contract/projects/environments";
import { Gauge, RefreshCcw, Trash2 } from "lucide-react";
import { Facts } from "../../parts/facts.tsx";
import { Button } from "../../parts/form/button.tsx";
import { plural } from "../../parts/format.ts";
import { Id } from "../../parts/id.tsx";
import { StatusMark } from "../../parts/state/status-mark.tsx";
import { Time } from "../../parts/time.tsx";
import type { KeyAction } from "./key-action.ts";
import { noRotation, Rotation } from "./key-columns.tsx";
import { limitsText } from "./limit-fields.tsx";

type Props = {
  apiKey: ApiKey;
  environments: Environment[];
  disabledReason: string | undefined;
  onAction: (action: KeyAction) => void;
};

/** Details of a key, with its actions. */
export function KeyPeek({ apiKey: key, environments, disabledReason, onAction }: Props) {
  const nameOf = (wanted: string | null) => environments.find(({ id }) => id === wanted)?.name;
  const environment = nameOf(key.environment_id) ?? "all";
  const served = key.worker_environment_ids?.map((id) => nameOf(id) ?? id).join(", ");
  return (
    <div className="flex flex-col gap-5 p-4">
      <Facts
        facts={[
          ["Status", <StatusMark key="s" status={key.status} as="badge" />],
          ["Id", <Id key="i" value={key.id} head={8} tail={12} />],
          ["Key", <code key="k" className="font-mono text-xs">{`${key.key_prefix}…`}</code>],
          ["Acts on behalf of", key.subject],
          ["Environment", environment],
          ["Scopes", key.scopes === null || key.scopes.includes("*") ? "all" : key.scopes.join(", ")],
          ["Queues for workers", key.queues?.join(", ") ?? "all"],
          ["Environments for workers", served ?? environment],
          ["Rate limits", limitsText(key.rate_limits)],
          ["Rotation", <Rotation key="r" apiKey={key} />],
          ["Rotate every", key.rotation_interval_days && plural(key.rotation_interval_days, "day")],
          ["Last used", key.last_used_at ? <Time key="u" at={key.last_used_at} /> : "never"],
          ["Expires", key.expires_at ? <Time key="e" at={key.expires_at} /> : "never"],
          ["Created", <Time key="c" at={key.created_at} />],
          ["Created by", key.created_by],
        ]}
      />
      {key.status !== "revoked" && (
        <div className="flex gap-2">
          <Button
            icon={<Gauge size={14} />}
            disabledReason={disabledReason}
            onClick={() => onAction({ verb: "limit", key })}
          >
            Edit rate limits
          </Button>
          <Button
            icon={<RefreshCcw size={14} />}
            disabledReason={disabledReason ?? noRotation(key)}
            onClick={() => onAction({ verb: "rotate", key })}
          >
            Rotate
          </Button>
          <Button
            icon={<Trash2 size={14} />}
            disabledReason={disabledReason}
            onClick={() => onAction({ verb: "revoke", key })}
          >
            Revoke
          </Button>
        </div>
      )}
    </div>
  );
}

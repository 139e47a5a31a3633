import type { ApiKey } from "@millrace/contract/access/api-keys";
import { Trash2 } from "lucide-react";
import { IconButton } from "../../parts/form/icon-button.tsx";
import { StatusMark } from "../../parts/state/status-mark.tsx";
import { Time } from "../../parts/time.tsx";

type Props = { keys: ApiKey[]; disabledReason?: string | undefined; onRevoke: (key: ApiKey) => void };

/** The personal keys of a person. */
export function PersonalKeyList({ keys, disabledReason, onRevoke }: Props) {
  return (
    <ul aria-label="Personal keys" className="divide-y">
      {keys.map((key) => (
        <li key={key.id} className="flex items-center gap-3 py-2">
          <span className="min-w-0 flex-1">
            <span className="block truncate font-medium">{key.name}</span>
            <span className="block truncate text-ink-3 text-xs">
              <code className="font-mono">{key.key_prefix}…</code>{" "}
              {key.scopes?.join(", ") ?? "everything the role allows"}
            </span>
          </span>
          <StatusMark status={key.status} />
          <span className="flex-none text-ink-2 max-sm:hidden">
            {key.last_used_at ? <Time at={key.last_used_at} /> : "Never used"}
          </span>
          <IconButton
            label={`Revoke ${key.name}`}
            disabledReason={disabledReason}
            icon={<Trash2 size={14} />}
            onClick={() => onRevoke(key)}
          />
        </li>
      ))}
    </ul>
  );
}

import type { AlertChannel } from "@millrace/contract/alerts/alert-channels";
import { MAX_CHANNELS_PER_RULE } from "@millrace/contract/alerts/alert-rules";
import { useApiList } from "../../../api/use-api.ts";
import { Badge } from "../../../parts/state/badge.tsx";
import { CHANNEL_WORDS } from "./channel-words.ts";

type Props = { ids: readonly string[]; onChange: (ids: string[]) => void };

/** The channels that a rule notifies. */
export function ChannelChoice({ ids, onChange }: Props) {
  const { rows } = useApiList<AlertChannel>("/v1/alert-channels", { limit: 100 });
  const toggle = (id: string) => onChange(ids.includes(id) ? ids.filter((each) => each !== id) : [...ids, id]);
  return (
    <fieldset className="flex flex-col gap-1.5">
      <legend className="mb-1.5 font-medium text-xs">Channels</legend>
      {rows?.length === 0 && (
        <p className="text-ink-3 text-xs">
          There are no channels yet. Webhook subscriptions to <code className="font-mono">alert.*</code> are notified
          without one.
        </p>
      )}
      {rows && rows.length > 0 && (
        <div className="grid max-h-32 gap-1 overflow-y-auto rounded-sm border p-2 sm:grid-cols-2">
          {rows.map(({ id, name, kind, enabled }) => (
            <label key={id} className="flex min-w-0 items-center gap-2">
              <input
                type="checkbox"
                checked={ids.includes(id)}
                disabled={!ids.includes(id) && ids.length >= MAX_CHANNELS_PER_RULE}
                onChange={() => toggle(id)}
              />
              <span className="truncate">{name}</span>
              <span className="text-ink-3 text-xs">{CHANNEL_WORDS[kind].label}</span>
              {!enabled && <Badge>disabled</Badge>}
            </label>
          ))}
        </div>
      )}
    </fieldset>
  );
}

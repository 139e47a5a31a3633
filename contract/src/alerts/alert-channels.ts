import Type, { type Static } from "typebox";
import { Email } from "../analytics/usage.ts";
import { ActorId, Id, Name, ProjectIdQuery, paging, Timestamp } from "../schema/fields.ts";
import { bodyObject, listOf, oneOf, responseObject } from "../schema/schema.ts";

export const ALERT_CHANNEL_KINDS = ["webhook", "slack", "discord", "teams", "pagerduty", "opsgenie", "email"] as const;
export type AlertChannelKind = (typeof ALERT_CHANNEL_KINDS)[number];
export const MAX_ALERT_CHANNELS = 100;
/** Where alerts go if a channel of this kind has no `url`. */
export const ALERT_CHANNEL_URLS: Readonly<Partial<Record<AlertChannelKind, string>>> = {
  pagerduty: "https://events.pagerduty.com/v2/enqueue",
  opsgenie: "https://api.opsgenie.com/v2/alerts",
};

const Enabled = Type.Boolean({ description: "False: new alerts are not sent to it." });
const Target = Type.String({ description: "What is shown of the receiver: its host, or the e-mail address." });

export const AlertChannel = responseObject(
  "AlertChannel",
  {
    id: Id,
    project_id: Id,
    name: Type.String(),
    kind: oneOf(ALERT_CHANNEL_KINDS),
    target: Target,
    enabled: Enabled,
    created_by: Type.String(),
    created_by_id: ActorId,
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  "Where alerts are sent. The URL and the key are stored encrypted and never returned.",
);
export type AlertChannel = Static<typeof AlertChannel>;
export const AlertChannelList = listOf("AlertChannelList", AlertChannel);

const receiver = {
  url: Type.Optional(
    Type.String({
      format: "uri",
      maxLength: 2048,
      description:
        "`webhook`, `slack`, `discord`, `teams`: the URL to post to. `pagerduty`, `opsgenie`: another address of the service, such as that of its EU region.",
    }),
  ),
  key: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 500,
      description: "`pagerduty`: the integration's routing key. `opsgenie`: the API key.",
    }),
  ),
  email: Type.Optional({ ...Email, description: "`email`: the address that receives alerts." }),
  enabled: Type.Optional(Enabled),
};

export const CreateAlertChannel = bodyObject(
  "CreateAlertChannel",
  { project_id: Type.Optional(ProjectIdQuery), name: Name, kind: oneOf(ALERT_CHANNEL_KINDS), ...receiver },
  "Creates a channel. Rules name it in `channel_ids`.",
);
export type CreateAlertChannel = Static<typeof CreateAlertChannel>;

export const UpdateAlertChannel = bodyObject(
  "UpdateAlertChannel",
  { name: Type.Optional(Name), ...receiver },
  "The fields to change. Notifications that are not sent yet go to the new receiver.",
);
export type UpdateAlertChannel = Static<typeof UpdateAlertChannel>;

export const AlertChannelTest = responseObject(
  "AlertChannelTest",
  {
    delivery_ids: Type.Array(Id, {
      description: "The test notification: see webhook deliveries for its outcome. Empty: the channel is disabled.",
    }),
  },
  "A test notification for a channel.",
);
export type AlertChannelTest = Static<typeof AlertChannelTest>;

export const ListAlertChannelsQuery = Type.Object({ ...paging }, { additionalProperties: false });
export type ListAlertChannelsQuery = Static<typeof ListAlertChannelsQuery>;

import Type, { type Static } from "typebox";
import { paging, Timestamp } from "../schema/fields.ts";
import { listOf, nullable, oneOf, responseObject } from "../schema/schema.ts";

const ENDPOINT_STATES = ["up", "unreachable", "recovering", "failing", "unknown"] as const;

const Latency = Type.Object(
  {
    p50: Type.Integer(),
    p95: Type.Integer(),
    responses: Type.Integer({ description: "How many responses were measured." }),
  },
  { description: "Milliseconds until the response, of the newest runs that have ended." },
);

export const Endpoint = responseObject(
  "Endpoint",
  {
    host: Type.String({ description: "Host of the endpoint, with its port if it has one." }),
    state: oneOf(
      ENDPOINT_STATES,
      "`unreachable`: no connection can be made, and runs wait. `recovering`: a connection was made, and runs are released. `failing`: it responds with errors, and runs are blocked. `unknown`: it has not responded to a run yet.",
    ),
    down_since: nullable({ ...Timestamp, description: "Since when it is unreachable or failing. Null: it is not." }),
    next_probe_at: nullable({ ...Timestamp, description: "When the host is tried next while its runs are blocked." }),
    waiting_runs: Type.Integer({ description: "Runs that wait for the host, at most 10,000." }),
    last_error: nullable(Type.String({ description: "Why the host was unreachable or failing the last time." })),
    latency_ms: nullable(Latency),
    jobs: Type.Integer({ description: "Jobs whose endpoint is on this host." }),
  },
  "The health of a host that jobs are dispatched to.",
);
export type Endpoint = Static<typeof Endpoint>;

export const EndpointList = listOf("EndpointList", Endpoint);

export const ListEndpointsQuery = Type.Object(
  {
    ...paging,
    state: Type.Optional(oneOf(ENDPOINT_STATES, "Only hosts in this state.")),
  },
  { additionalProperties: false },
);
export type ListEndpointsQuery = Static<typeof ListEndpointsQuery>;

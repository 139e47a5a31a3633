import { ENDPOINTS, type Endpoints } from "../generated/endpoints.ts";
import type { ClientCore } from "./create-core.ts";
import type { Method, RequestOptions } from "./http/send.ts";
import { type CallOptions, fillPath, type Operation } from "./verbs.ts";

/**
 * The input of an operation. Fields that are optional there are optional here.
 *
 * @example
 * const input: CallInput<"GET /v1/runs/{runID}"> = { params: { runID: "0198c7a2-…" } };
 * const run = await client.call("GET /v1/runs/{runID}", input);
 */
export type CallInput<O extends Operation> = CallOptions &
  Field<"params", Endpoints[O]["params"]> &
  Field<"query", Endpoints[O]["query"]> &
  Field<"body", Endpoints[O]["body"]>;

type Field<Name extends string, T> = [T] extends [undefined]
  ? unknown
  : Record<never, never> extends T
    ? { [N in Name]?: T | undefined }
    : { [N in Name]: T };

export type Call = <O extends Operation>(
  operation: O,
  ...input: Record<never, never> extends CallInput<O> ? [input?: CallInput<O>] : [input: CallInput<O>]
) => Promise<Endpoints[O]["response"]>;

/** Calls any endpoint by method and path: `client.call("GET /v1/runs/{runID}", { params: { runID } })`. */
export function callOf(core: ClientCore): Call {
  const withBody = new Set(
    Object.values(ENDPOINTS).flatMap((verbs) =>
      (Object.values(verbs) as string[][]).flatMap(([method, path, kind]) =>
        kind === "body" ? [`${method} ${path}`] : [],
      ),
    ),
  );
  return ((operation: Operation, input: RequestOptions & { params?: Record<string, string> } = {}) => {
    const [method = "", path = ""] = operation.split(" ");
    const { params = {}, ...options } = input;
    const body = options.body ?? (withBody.has(operation) ? {} : undefined);
    return core.request(method as Method, fillPath(path, params), { ...options, body });
  }) as Call;
}

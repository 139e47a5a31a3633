import type { Ctx } from "../../platform/context.ts";
import { overloaded } from "../../platform/errors/errors.ts";
import { meterRequest } from "../gate/meter-requests.ts";
import { presentProblem, problemHeaders } from "../response/problem.ts";
import { schemaLink } from "../response/schema-link.ts";
import type { FastPathReply, FastPathRequest } from "./fast-path-messages.ts";

const STATUS = 503;
/** Made once: an error of its own would cost as much as the rest of a refusal, for its stack. */
const ERROR = overloaded();

/**
 * The same response as Fastify would send, without its pipeline and the body, and in most cases without the gate: under
 * overload most requests are refused, and what a refusal costs is missing for those that are not.
 */
export function refuseOverloaded(ctx: Ctx, request: FastPathRequest, reply: FastPathReply): void {
  const { id: request_id, url: instance } = request;
  const common = { status: STATUS, $schema: schemaLink(ctx, request, "Problem"), instance, request_id };
  const body = JSON.stringify(presentProblem(ERROR, common));
  reply.code(STATUS);
  reply.headers({ ...problemHeaders(ERROR, request_id), "content-length": String(Buffer.byteLength(body)) });
  reply.sendProblem(body);
  meterRequest(ctx, request, reply);
}

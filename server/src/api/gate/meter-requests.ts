import type { Ctx } from "../../platform/context.ts";
import { perService } from "../../platform/service-state.ts";
import type { ApiReply, ApiRequest } from "../http-messages.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** A stream is metered when it opens: its duration is not its response time. */
    isMetered: boolean;
  }
}

type Meter = { count: (status: number) => void; observe: (seconds: number) => void };

/** Counts, times and logs every request, once. */
export function meterRequest(ctx: Ctx, request: ApiRequest, reply: ApiReply): void {
  if (request.isMetered) return;
  request.isMetered = true;
  meterOf(ctx)(request, reply);
}

const meterOf = perService(openRequestMeter);

/** The series of a route are looked up once, not at each request. */
function openRequestMeter(ctx: Ctx) {
  const meters = new Map<string, Meter>();

  return (request: ApiRequest, reply: ApiReply): void => {
    const route = request.routeOptions.config.route?.path ?? "none";
    const meter = meters.get(route) ?? openMeter(ctx, route);
    meters.set(route, meter);
    meter.count(reply.statusCode);
    meter.observe(reply.elapsedTime / 1_000);
    if (!ctx.log.isLevelEnabled("debug")) return;
    const { method, id: request_id } = request;
    ctx.log.debug(
      { request_id, method, route, status: reply.statusCode, ms: Math.round(reply.elapsedTime) },
      "request",
    );
  };
}

function openMeter({ metrics }: Ctx, route: string): Meter {
  const durations = metrics.httpDuration.labels({ route });
  const counters = new Map<number, { inc: () => void }>();
  return {
    observe: (seconds) => durations.observe(seconds),
    count: (status) => {
      const counter = counters.get(status) ?? metrics.httpRequests.labels({ route, status: String(status) });
      counters.set(status, counter);
      counter.inc();
    },
  };
}

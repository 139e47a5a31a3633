import type { FastifyReply, FastifyRequest } from "fastify";
import { isPageRequested, readDashboardPage } from "../../features/home/read-dashboard-file.ts";
import { ApiError } from "../../platform/errors/errors.ts";

/**
 * A path without a route: a browser that follows a link gets the dashboard, which handles its own pages; others get a
 * problem.
 */
export async function sendNotFound(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { method, url, headers } = request;
  if (!isPageRequested(method, url, headers.accept)) {
    const message = "There is no such path. The reference is at /docs.";
    const path = url.split("?", 1)[0] ?? "";
    throw new ApiError("not_found", message, { errors: [{ location: "path", message, value: path.slice(0, 200) }] });
  }
  const page = await readDashboardPage({ header: (name, value) => void reply.header(name, value) });
  return reply.type("text/html; charset=utf-8").send(page);
}

import { SECRETS } from "../service/start-service.ts";
import { makeClient } from "../world/client.ts";

/** The metrics of an instance, which requires the internal secret. */
export async function readMetrics(url: string): Promise<string> {
  const { status, text } = await makeClient(url, { "x-internal-secret": SECRETS.INTERNAL_SECRET }).get("/metrics");
  if (status !== 200) throw new Error(`/metrics: ${status} ${text}`);
  return text;
}

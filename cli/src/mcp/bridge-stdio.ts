import type { Cli } from "../cli.ts";

/** JSON-RPC: an error of the server. */
const FAILED = -32_000;

type Options = { allowWrite: boolean; trustClient: boolean };

/** Carries messages between a client on stdin and stdout and the service, which has the tools. Ends with stdin. */
export async function bridgeStdio(cli: Cli, options: Options): Promise<void> {
  const { StdioServerTransport } = await import("@modelcontextprotocol/sdk/server/stdio.js");
  const { StreamableHTTPClientTransport } = await import("@modelcontextprotocol/sdk/client/streamableHttp.js");
  const { baseUrl, apiKey } = cli.settings;
  const headers: Record<string, string> = apiKey ? { authorization: `Bearer ${apiKey.value}` } : {};
  const service = new StreamableHTTPClientTransport(urlOf(baseUrl.value, options), { requestInit: { headers } });
  const client = new StdioServerTransport();
  service.onmessage = (message) => {
    const version = "result" in message ? message.result.protocolVersion : undefined;
    if (typeof version === "string") service.setProtocolVersion(version);
    void client.send(message);
  };
  client.onmessage = (message) => {
    service.send(message).catch(({ message: reason }: Error) => {
      // A notification gets no answer.
      if (!("method" in message && "id" in message)) return cli.say(reason);
      void client.send({ jsonrpc: "2.0", id: message.id, error: { code: FAILED, message: reason } });
    });
  };
  const closed = new Promise<void>((resolve) => {
    client.onclose = resolve;
  });
  const close = () => void client.close();
  process.stdin.once("end", close);
  cli.signal.addEventListener("abort", close);
  await service.start();
  await client.start();
  await closed;
  await service.close();
}

function urlOf(baseUrl: string, { allowWrite, trustClient }: Options): URL {
  const url = new URL("/mcp", baseUrl);
  if (allowWrite) url.searchParams.set("allow_write", "true");
  if (trustClient) url.searchParams.set("trust_client", "true");
  return url;
}

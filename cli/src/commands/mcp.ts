import { command, flag } from "../command.ts";

export const mcp = command({
  name: "mcp",
  summary: "serve the project to an AI client over MCP (stdio)",
  about:
    "Serve tools for an AI client over the Model Context Protocol on stdin and stdout: search, read and explain runs, show workflows, statistics and errors, and search the documentation. With --allow-write also trigger, cancel, replay and pause, each after a plan that the person has agreed to. The tools can do what the API key can do.",
  options: {
    allowWrite: flag(
      "--allow-write",
      "offer tools that change something; the client asks the person before each change",
    ),
    trustClient: flag("--trust-client", "for clients that cannot ask by themselves, and confirm each call instead"),
  },
  examples: ["millrace mcp", "millrace mcp --allow-write"],
  run: async (cli, { options }) => {
    const { StdioServerTransport } = await import("@modelcontextprotocol/sdk/server/stdio.js");
    const { createMcpServer } = await import("../mcp/create-mcp-server.ts");
    const server = createMcpServer(cli.client(), options);
    const closed = new Promise<void>((resolve) => {
      server.server.onclose = resolve;
    });
    const close = () => void server.close();
    process.stdin.once("end", close);
    cli.signal.addEventListener("abort", close);
    await server.connect(new StdioServerTransport());
    await closed;
  },
});

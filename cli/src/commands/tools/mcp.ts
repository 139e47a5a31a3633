import { command, flag } from "../../command.ts";

export const mcp = command({
  name: "mcp",
  summary: "serve the project to an AI client over MCP (stdio)",
  about:
    "Serve tools for an AI client over the Model Context Protocol on stdin and stdout: search, read and explain runs, show workflows, statistics and errors, and search the documentation. With --allow-write also trigger, cancel, replay and pause, each after a plan that the person has agreed to. The tools can do what the API key can do. The service itself has them too, at `/mcp`.",
  options: {
    allowWrite: flag(
      "--allow-write",
      "offer tools that change something; the client asks the person before each change",
    ),
    trustClient: flag("--trust-client", "for clients that cannot ask by themselves, and confirm each call instead"),
  },
  examples: ["millrace mcp", "millrace mcp --allow-write"],
  run: async (cli, { options }) => {
    const { bridgeStdio } = await import("../../mcp/bridge-stdio.ts");
    await bridgeStdio(cli, options);
  },
});

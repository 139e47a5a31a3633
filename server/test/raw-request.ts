import net from "node:net";
import type { HttpAnswer } from "./http-request.ts";

/** Writes these very bytes to the server, ends, and reads what comes back until the server ends too. */
export function sendRaw(url: string, bytes: string | Buffer): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    const socket = net.connect({ host: hostname, port: Number(port) }, () => socket.end(bytes));
    // A server may hang up while it is still being written to: what it has said before counts.
    socket.on("error", () => {});
    socket.on("data", (chunk) => chunks.push(chunk));
    socket.on("close", () => resolve(Buffer.concat(chunks).toString("latin1")));
  });
}

/** The answers in what the server wrote on one connection. */
export function readAnswers(text: string): HttpAnswer[] {
  const answers: HttpAnswer[] = [];
  for (let rest = text; rest.startsWith("HTTP/"); ) {
    const end = rest.indexOf("\r\n\r\n");
    const [statusLine = "", ...lines] = rest.slice(0, end).split("\r\n");
    const headers = Object.fromEntries(
      lines.map((line) => [line.split(":")[0]?.toLowerCase(), line.replace(/^[^:]*: */, "")]),
    );
    const length = Number(headers["content-length"] ?? 0);
    const body = rest.slice(end + 4, end + 4 + length);
    answers.push({ status: Number(statusLine.split(" ")[1]), headers, body });
    rest = rest.slice(end + 4 + length);
  }
  return answers;
}

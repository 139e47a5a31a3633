import net from "node:net";
import type { HttpResponse } from "./http-request.ts";

/**
 * Writes exactly these bytes to the server, ends the stream, and reads the response until the server closes. The server
 * aborts what it has not answered when the stream ends: with `quietMs` it ends once nothing has arrived for so long.
 */
export function sendRaw(url: string, bytes: string | Buffer, { quietMs = 0 } = {}): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    const socket = net.connect({ host: hostname, port: Number(port) }, () => {
      if (quietMs === 0) return socket.end(bytes);
      socket.write(bytes);
      return socket.setTimeout(quietMs, () => socket.end());
    });
    // A server may close the connection during the write: the bytes it sent before count.
    socket.on("error", () => {});
    socket.on("data", (chunk) => chunks.push(chunk));
    socket.on("close", () => resolve(Buffer.concat(chunks).toString("latin1")));
  });
}

/** Parses the responses that the server wrote on one connection. */
export function readResponses(text: string): HttpResponse[] {
  const responses: HttpResponse[] = [];
  for (let rest = text; rest.startsWith("HTTP/"); ) {
    const end = rest.indexOf("\r\n\r\n");
    const [statusLine = "", ...lines] = rest.slice(0, end).split("\r\n");
    const headers = Object.fromEntries(
      lines.map((line) => [line.split(":")[0]?.toLowerCase(), line.replace(/^[^:]*: */, "")]),
    );
    const length = Number(headers["content-length"] ?? 0);
    const body = rest.slice(end + 4, end + 4 + length);
    responses.push({ status: Number(statusLine.split(" ")[1]), headers, body });
    rest = rest.slice(end + 4 + length);
  }
  return responses;
}

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { basename } from "node:path";

export type Registry = { url: string; close: () => Promise<void> };

type Manifest = { name: string; version: string };
type Served = { manifest: Manifest; tarball: Buffer; file: string };

/** An npm registry with these tarballs; requests for other packages are redirected to the configured registry. */
export async function openRegistry(tarballs: readonly string[]): Promise<Registry> {
  const upstream = execFileSync("npm", ["config", "get", "registry"], { encoding: "utf8" }).trim().replace(/\/$/, "");
  const served = tarballs.map(read);
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? "/").slice(1);
    const named = served.find(({ manifest }) => manifest.name === path);
    const file = served.find((each) => path.endsWith(`/-/${each.file}`));
    if (named) return send(response, "application/json", JSON.stringify(packument(named, urlOf(server))));
    if (file) return send(response, "application/octet-stream", file.tarball);
    response.writeHead(302, { location: `${upstream}${request.url}` }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `${urlOf(server)}/`,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

function read(path: string): Served {
  const manifest = execFileSync("tar", ["-xzOf", path, "package/package.json"], { encoding: "utf8" });
  return { manifest: JSON.parse(manifest), tarball: readFileSync(path), file: basename(path) };
}

/** As `npm publish` writes it. */
function packument({ manifest, tarball, file }: Served, url: string): object {
  const { name, version } = manifest;
  const dist = {
    tarball: `${url}/${name}/-/${file}`,
    integrity: `sha512-${createHash("sha512").update(tarball).digest("base64")}`,
    shasum: createHash("sha1").update(tarball).digest("hex"),
  };
  const published = { ...manifest, _id: `${name}@${version}`, dist };
  return { _id: name, name, "dist-tags": { latest: version }, versions: { [version]: published }, time: {} };
}

function send(response: ServerResponse, type: string, body: string | Buffer): void {
  response.writeHead(200, { "content-type": type, "content-length": Buffer.byteLength(body) }).end(body);
}

function urlOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

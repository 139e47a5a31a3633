#!/usr/bin/env node
import { pathToFileURL } from "node:url";
import { buildServer } from "./build-server.mjs";
import { ensureInstalled } from "./ensure-installed.mjs";

// `millrace dev` and `millrace serve`: installs and builds what is missing, then becomes the service.
await ensureInstalled();
await import(pathToFileURL(await buildServer()).href);

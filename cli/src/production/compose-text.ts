import { VERSION } from "../version.ts";

/** deploy/compose/minimal.yaml without its build; a test keeps them equal. */
export const COMPOSE_TEXT = `name: millrace

services:
  millrace:
    image: \${MILLRACE_IMAGE:-ghcr.io/millrace/millrace:${VERSION}}
    env_file: .env
    environment:
      INSTANCE_NAME: millrace
    ports: ["127.0.0.1:8787:8787"]
    volumes: ["data:/var/lib/millrace"]
    read_only: true
    tmpfs: ["/tmp:mode=1777,size=64m"]
    shm_size: 256m
    cap_drop: [ALL]
    security_opt: ["no-new-privileges:true"]
    restart: unless-stopped
    stop_grace_period: 40s

volumes:
  data:
`;

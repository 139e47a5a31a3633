/** deploy/systemd/millrace.service; a test keeps them equal. */
export const SYSTEMD_TEXT = `[Unit]
Description=Millrace: durable jobs and workflows
Documentation=https://www.npmjs.com/package/millrace
After=network-online.target postgresql.service
Wants=network-online.target

[Service]
Type=exec
User=millrace
Group=millrace
# Secrets and settings, readable by root only.
EnvironmentFile=/etc/millrace/millrace.env
Environment=NODE_ENV=production
Environment=MILLRACE_DATA_DIR=/var/lib/millrace/data
Environment=XDG_CACHE_HOME=/var/cache
ExecStart=/usr/bin/env millrace serve
Restart=always
RestartSec=1
# The service stops the embedded PostgreSQL itself.
KillMode=mixed
TimeoutStopSec=40

StateDirectory=millrace
StateDirectoryMode=0750
CacheDirectory=millrace
WorkingDirectory=/var/lib/millrace

AmbientCapabilities=
CapabilityBoundingSet=
LockPersonality=yes
NoNewPrivileges=yes
PrivateDevices=yes
PrivateTmp=yes
ProtectClock=yes
ProtectControlGroups=yes
ProtectHome=yes
ProtectHostname=yes
ProtectKernelLogs=yes
ProtectKernelModules=yes
ProtectKernelTunables=yes
ProtectProc=invisible
ProtectSystem=strict
RemoveIPC=no
RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
SystemCallArchitectures=native
SystemCallFilter=@system-service
UMask=0027
LimitNOFILE=65536

[Install]
WantedBy=multi-user.target
`;

const SETTINGS = "/etc/millrace/millrace.env";

/** What to run after the files are written. `at` gives the path of a file. */
export function systemdSteps(at: (name: string) => string): readonly string[] {
  const settings = at("millrace.env");
  return [
    "npm install --global millrace",
    ...(settings === SETTINGS ? [] : [`install -D -m 0600 ${settings} ${SETTINGS}`]),
    `install -m 0644 ${at("millrace.service")} /etc/systemd/system/millrace.service`,
    "useradd --system --home-dir /var/lib/millrace --shell /usr/sbin/nologin millrace",
    "systemctl enable --now millrace",
  ];
}

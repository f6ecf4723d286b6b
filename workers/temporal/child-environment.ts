// What a child process gets to see of our environment: what programs need to run, never a credential of ours.
const PASSED_ON =
  /^(PATH|HOME|USER|LOGNAME|SHELL|TERM|TZ|TMPDIR|TEMP|TMP|LANG|LC_.*|XDG_.*|SSL_CERT_.*|NODE_EXTRA_CA_CERTS|(HTTPS?|NO|ALL)_PROXY|SYSTEMROOT|WINDIR|COMSPEC|PATHEXT|APPDATA|LOCALAPPDATA|USERPROFILE)$/i;
const PASSED_ON_TO_GO = /^(GO|CGO_)/;

/** The allowed part of an environment; `forGo` adds the Go tool's own settings. */
export function childEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
  forGo = false,
): Record<string, string> {
  const passed: Record<string, string> = {};
  for (const [name, value] of Object.entries(environment)) {
    if (value !== undefined && (PASSED_ON.test(name) || (forGo && PASSED_ON_TO_GO.test(name))))
      passed[name] = value;
  }
  return passed;
}

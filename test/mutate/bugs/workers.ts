// Bugs of what is assembled: configuration, secrets, logs, the embedded server.
import { type Bug, bugsIn } from '../bug';

export const WORKER_BUGS: readonly Bug[] = [
  ...bugsIn('workers', 'workers/config/config-values.ts', 'test/workers/config/config-values.test.ts', [
    ['a day has 12 hours', 'd: 86_400_000,', 'd: 43_200_000,'],
    ['MB are MiB', 'mb: 1e6,', 'mb: 1024 ** 2,'],
    [
      'a value at the limit is refused',
      'parsed < leastValue || parsed > mostValue',
      'parsed <= leastValue || parsed > mostValue',
    ],
    [
      'a password in an address is taken',
      "parsed.username !== '' || parsed.password !== '' ||",
      "parsed.username !== '' ||",
    ],
  ]),
  ...bugsIn('workers', 'workers/config/config-schema.ts', 'test/workers/config/config.test.ts', [
    ['every request gives way', "maxWait: duration('2s', '5m')", "maxWait: duration('0ms', '5m')"],
  ]),
  ...bugsIn(
    'workers',
    'workers/rate-leases.ts',
    'test/workers/rate-leases.test.ts',
    [
      [
        'a host that is alone after it waited for a part says that it uses nothing',
        '        this.#waitingSinceMs = undefined;\n        return this.#take(undefined);',
        '        return this.#take(undefined);',
      ],
    ],
    'told to wait',
  ),
  ...bugsIn(
    'workers',
    'workers/config/config-environment.ts',
    'test/workers/config/config-environment.test.ts',
    [
      [
        'a variable that holds a secret is refused where an override refers to it',
        '...collectSecretNames(merged)',
        '',
      ],
    ],
  ),
  ...bugsIn('workers', 'workers/config/config-secrets.ts', 'test/workers/config/config-secrets.test.ts', [
    ['a secret that everybody can read is used', 'if ((mode & 0o004) !== 0)', 'if (false)'],
    ['a secret of ours that a group can read is used', 'isOwn && (mode & 0o040) !== 0', 'false'],
    ['a secret that others can change is used', 'if ((mode & 0o022) !== 0)', 'if ((mode & 0o002) === 0o777)'],
    ['the newline at the end is part of the secret', ".replace(/\\r?\\n$/, '')", ''],
    ['an empty variable is a secret', "value === undefined || value === ''\n", 'value === undefined\n'],
  ]),
  ...bugsIn(
    'workers',
    'workers/temporal/child-environment.ts',
    'test/workers/temporal/child-environment.test.ts',
    [
      [
        'children get the whole environment',
        'value !== undefined && (PASSED_ON.test(name)',
        'value !== undefined && (name !== "" || PASSED_ON.test(name)',
      ],
    ],
  ),
  ...bugsIn('workers', 'workers/worker.ts', 'test/workers/worker.test.ts', [
    ['a worker of a dozen shares warns of a leak', '  setMaxListeners(0, draining.signal);\n', ''],
  ]),
  ...bugsIn('workers', 'workers/worker.ts', 'test/workers/share-queues.test.ts', [
    ['idle queues wait with ten calls each', '        activityTaskPollerBehavior: SHARE_POLLERS,\n', ''],
  ]),
  ...bugsIn(
    'workers',
    'workers/temporal/temporal-cli.ts',
    'test/workers/temporal/temporal-cli.test.ts',
    [
      [
        'a program is downloaded and run before its checksum is compared',
        "(environment.TEMPORAL_CLI_SHA256 ?? '') === '';",
        "(environment.TEMPORAL_CLI_SHA256 ?? '') !== 'none';",
      ],
    ],
    'where a checksum is named',
  ),
  ...bugsIn('workers', 'workers/logging.ts', 'test/workers/logging.test.ts', [
    ['an address is logged with its query', '    .replace(URL_QUERY, `$1?${MASK}`)\n', ''],
    ['a bearer token is logged', '    .replace(BEARER, `$1 ${MASK}`)\n', ''],
    [
      'a name turns the direction of a log',
      "    .replace(DECEIVING, character => `\\\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);",
      ';',
    ],
    [
      'causes are dropped',
      'if (fields.cause !== undefined && depth < 3)',
      'if (fields.cause === null && depth < 3)',
    ],
  ]),
  ...bugsIn('workers', 'workers/log-file.ts', 'test/workers/log-file.test.ts', [
    ['a log grows without end', 'if (isOurs && own.size < this.#maxBytes) return;', 'if (isOurs) return;'],
    [
      'a log that cannot be written ends the work',
      "      if (this.#incidents.begins('unwritable')) {",
      "      if (this.#fd > 0) throw error;\n      if (this.#incidents.begins('unwritable')) {",
    ],
    ['everybody reads the log', "openSync(path, 'a', 0o600)", "openSync(path, 'a', 0o644)"],
  ]),
  ...bugsIn('workers', 'workers/share-key.ts', 'test/workers/share-key.test.ts', [
    [
      'each process begins to make a key of its own',
      'if (known !== undefined) return known;',
      '',
      { harmless: 'The key is put in its place exclusively: who comes second reads the first one.' },
    ],
  ]),
  ...bugsIn('workers', 'activities/service/private-file.ts', 'test/workers/share-key.test.ts', [
    ['everybody can read the key', "open(draft, 'wx', 0o600)", "open(draft, 'wx', 0o644)"],
    [
      'the state folder is made by the umask',
      'await mkdir(folder, { recursive: true, mode: 0o700 });\n}',
      'await mkdir(folder, { recursive: true });\n}',
    ],
    [
      'a key that others can read is used',
      'if ((stats.mode & 0o077) !== 0) {',
      'if ((stats.mode & 0o007) === 0o777) {',
    ],
  ]),
  ...bugsIn(
    'workers',
    'workers/temporal/temporal-connection.ts',
    'test/workers/temporal/temporal-connection.test.ts',
    [
      [
        'the environment does not win',
        'nonEmpty(environment.TEMPORAL_ADDRESS) ?? temporal.address ??',
        'temporal.address ?? nonEmpty(environment.TEMPORAL_ADDRESS) ??',
      ],
      [
        'an empty variable is an address',
        "return text === undefined || text === '' ? undefined : text;",
        'return text;',
      ],
    ],
  ),
  ...bugsIn('workers', 'workers/config/config-share.ts', 'test/workers/config/config.test.ts', [
    ['the hold has the time of the next attempt', 'holdMs: share.hold,', 'holdMs: share.conflictRetry,'],
    [
      'the folder is relative to wherever we are',
      'folder: resolve(baseFolder, share.folder),',
      'folder: resolve(share.folder),',
    ],
  ]),
  ...bugsIn(
    'workers',
    'workers/temporal/embedded-temporal.ts',
    'test/workers/temporal/embedded-doors.test.ts',
    [
      ['the embedded server is open to the network', "const HOST = '127.0.0.1';", "const HOST = '0.0.0.0';"],
      [
        'its HTTP API answers web pages',
        'frontend.httpAllowedHosts=["disabled.invalid"]',
        'frontend.httpAllowedHosts=["*"]',
      ],
    ],
  ),
  ...bugsIn('workers', 'workers/adapters.ts', 'test/workers/adapters.test.ts', [
    [
      'a storage in a private network is refused, whatever the operator says',
      '      allowPrivate: config.settings.service?.allowPrivateStorage ?? false,\n',
      '',
    ],
  ]),
  ...bugsIn('workers', 'workers/temporal/embedded-ui.ts', 'test/workers/temporal/embedded-ui.test.ts', [
    ['the page of another site reads the UI', '|| isReadFromElsewhere(headers)', ''],
    [
      'the leave of an older UI for every site is handed on',
      'withoutLeave(withoutHops(reply.headers))',
      'withoutHops(reply.headers)',
    ],
  ]),
  ...bugsIn('workers', 'workers/temporal/child-guard.ts', 'test/workers/temporal/child-guard.test.ts', [
    ['a child outlives its guard', "    child.kill('SIGTERM');\n", ''],
    [
      'one that does not listen is not killed',
      "setTimeout(() => child.kill('SIGKILL'), killAfterMs).unref();",
      '',
    ],
  ]),
];

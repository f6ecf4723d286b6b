// Bugs of the REST client: tokens, limits, responses.
import { type Bug, bugsIn } from '../bug';

export const SERVICE_BUGS: readonly Bug[] = [
  ...bugsIn(
    'service',
    'activities/service/service-client.ts',
    'test/activities/service/service-client.test.ts',
    [
      [
        'a 401 is not answered by a fresh token',
        'if (raw.status !== 401 || token === undefined) return raw;',
        'return raw;',
      ],
      [
        'what waits for a connection goes out with a token that was refused meanwhile',
        'this.#tokens.isRefused(token.generation)',
        'token.generation < 0',
      ],
      [
        'what waits for a connection follows a refusal',
        'if (permit === undefined || count === pausesBefore || this.#clock.wallMs() >= untilMs) return undefined;',
        'return undefined;',
      ],
      [
        'after a pause nothing is sent any more',
        'if (permit === undefined || count === pausesBefore || this.#clock.wallMs() >= untilMs) return undefined;',
        'if (count === 0) return undefined;',
      ],
      [
        'the company is not named',
        "...(endpoint.origin === 'api' ? { [this.#config.companyHeader]: input.companyId } : {}),",
        '',
      ],
      [
        'a Retry-After of a 429 is not passed on',
        'retryAtMs: raw.retryAtMs ?? this.#clock.wallMs() + 2_000',
        'retryAtMs: this.#clock.wallMs() + 2_000',
      ],
      [
        'a permit of what was not sent is lost',
        "if (!hasLeft || failure?.effect === 'not-sent') this.#release(permit);\n      else this.#observe",
        'this.#observe',
      ],
    ],
  ),
  ...bugsIn(
    'service',
    'activities/service/service-client.ts',
    'test/activities/service/service-client.test.ts',
    [['a refused token is sent again', 'if (fresh.generation <= token.generation) return raw;', '']],
  ),
  ...bugsIn(
    'service',
    'activities/service/send/http-exchange.ts',
    'test/activities/service/service-client.test.ts',
    [
      [
        'what may not be sent twice is cut by a cancellation',
        'const mayCut = () => input.isRepeatable === true || !isWritten;',
        'const mayCut = () => true;',
      ],
      [
        'what was cut while it waited for a connection waits on',
        'await orAborted(request, cut.signal)',
        'await request',
      ],
      [
        'an answer that is too large is waited out like an outage',
        'if (isRepeatable !== true || !isSaidByService) return',
        'if (isRepeatable !== undefined) return',
      ],
    ],
  ),
  ...bugsIn('service', 'activities/service/pages.ts', 'test/activities/service/pages.test.ts', [
    [
      'only the first page of a list is read',
      'if (response.nextSearch !== undefined) {',
      "if (response.nextSearch === '') {",
    ],
    [
      'a list that leads in a circle never ends',
      "if (visited.has(response.nextSearch)) throw listFault(endpoint, 'leads back to a page already read');",
      '',
    ],
    ['without a link the rest is not asked for', 'seen < response.total', 'seen > response.total'],
    [
      'the same page twice is taken for the next one',
      "if (response.data.length > 0 && text === previous) throw listFault(endpoint, 'gives the same page again');",
      '',
    ],
  ]),
  ...bugsIn('service', 'activities/service/reasons.ts', 'test/activities/service/reasons.test.ts', [
    [
      'the upload that a reason is about is not read',
      'textOf(detail.source) || textOf(detail.upload_id)',
      'textOf(detail.upload_id)',
    ],
    [
      'a reason code beside the message is not read',
      'textOf(body.reason_code) || textOf(body.code)',
      'textOf(body.code)',
    ],
    ['the field of a complaint is not read', '      property: maskForeignText(field, secrets, 100),\n', ''],
    ['secrets in a message are shown', 'message: maskForeignText(message, secrets) };', 'message };'],
    ['an unknown code is taken for the first known one', "?? 'OTHER'", '?? REASON_CODES[0]'],
  ]),
  ...bugsIn(
    'service',
    'activities/service/rate/host-mark.ts',
    'test/activities/service/rate/host-mark.test.ts',
    [
      [
        'containers with one state folder are hosts of their own',
        '`${boot || host}\\n${mark}`',
        '`${host}\\n${mark}`',
      ],
      ['a copied state folder is the host that it was copied from', '`${boot || host}\\n${mark}`', 'mark'],
    ],
  ),
  ...bugsIn(
    'service',
    'activities/host/process-identity.ts',
    'test/activities/host/process-identity.test.ts',
    [
      [
        'another process with the pid of the owner is taken for it',
        "return startedAt === identity.startedAt ? 'alive' : 'dead';",
        "return 'alive';",
      ],
      [
        'a machine that came back under another name has a state folder held for ever',
        "if (isOfOtherStart && isOfOneHost && here.boot !== '') return 'dead';",
        '',
      ],
      [
        'a process of another container is taken for dead',
        "if (identity.pidSpace !== here.pidSpace) return 'elsewhere';",
        "if (identity.pidSpace !== here.pidSpace) return 'dead';",
      ],
      [
        'a process of another user is taken for dead',
        "return startedAt !== ENDED && isRunning(identity.pid) ? 'running' : 'dead';",
        "return 'dead';",
      ],
      [
        'the lock of a process of version 0.1.0 is taken from it',
        'boot, pidSpace: space, pid, startedAt: ',
        "boot: '-', pidSpace: space, pid, startedAt: ",
      ],
    ],
  ),
  ...bugsIn('service', 'activities/host/incident-log.ts', 'test/activities/host/incident-log.test.ts', [
    [
      'each failed attempt is news',
      'const isNews = this.#open.get(subject) !== why;',
      'const isNews = true;',
    ],
    ['another reason is no news', 'this.#open.get(subject) !== why;', '!this.#open.has(subject);'],
  ]),
  ...bugsIn('service', 'activities/host/retry-after.ts', 'test/activities/host/retry-after.test.ts', [
    ['seconds are read as milliseconds', 'Number(text) * 1_000', 'Number(text)'],
    ['a date without a zone is local time', '? text : `${text} GMT`', '? text : text'],
    ['a date in the past is a wait below nothing', 'Math.max(0, delayMs)', 'delayMs'],
    ['the sooner of two waits is taken', 'clampDelay(Math.max(...said))', 'clampDelay(Math.min(...said))'],
    ['a wait has no end', 'Math.min(MAX_DELAY_MS, Math.max(0, delayMs))', 'Math.max(0, delayMs)'],
  ]),
  ...bugsIn('service', 'activities/service/secret.ts', 'test/activities/service/secret.test.ts', [
    [
      'a secret shows in JSON',
      '  toJSON(): string {\n    return MASK;',
      '  toJSON(): string {\n    return this.#text;',
    ],
    [
      'a secret shows when it is inspected',
      '[inspect.custom](): string {\n    return MASK;',
      '[inspect.custom](): string {\n    return this.#text;',
    ],
    ['a presigned address is shown', '.replace(/\\?[\\w.~%+-]{1,100}=[^\\s"\'<>]*/g, `?${MASK}`)\n', ''],
    ['half a secret at the cut is shown', 'if (beginning.endsWith(secret.slice(0, part))) return part;', ''],
  ]),
  ...bugsIn(
    'service',
    'activities/service/rate/rate-calculator.ts',
    'test/activities/service/rate/rate-calculator.test.ts',
    [
      ['a pause is not kept', 'if (state.pausedUntilMs > nowMs) {', 'if (state.pausedUntilMs < 0) {'],
      [
        'what is under way does not count',
        'const left = usableOf(window) - window.charged - weightUnderWay(state);',
        'const left = usableOf(window) - window.charged;',
      ],
      [
        'a window opens before it does',
        'certainlyAt(state.clock, window.resetAtServerMs) + state.marginMs',
        'certainlyAt(state.clock, window.resetAtServerMs) - state.marginMs',
      ],
      [
        'all who wait for an hour come back in one moment',
        'opensMs = expectedAtMs + window.periodMs;',
        'opensMs = expectedAtMs;',
      ],
    ],
  ),
  ...bugsIn(
    'service',
    'activities/service/rate/rate-calculator.ts',
    'test/activities/service/rate/rate-calculator.test.ts',
    [
      [
        'an answer does not end what was under way',
        'underWay: before.underWay.filter(other => other.seq !== permit.seq),',
        'underWay: before.underWay,',
      ],
    ],
    'is never refused with',
  ),
  ...bugsIn(
    'service',
    'activities/service/rate/rate-gate.ts',
    'test/activities/service/rate/rate-gate.test.ts',
    [
      [
        'looks spend a window that others wait for',
        'return givesWay ? this.#gaveWay : undefined;',
        'return givesWay ? [] : undefined;',
      ],
      ['a look that never left counts as one', 'if (at >= 0) this.#gaveWay.splice(at, 1);\n', ''],
    ],
  ),
  ...bugsIn(
    'service',
    'activities/service/endpoints/document-uploads.ts',
    'test/activities/service/endpoints/writing.test.ts',
    [
      ['a batch holds 99 documents', 'export const MAX_ITEMS = 100;', 'export const MAX_ITEMS = 99;'],
      [
        'what is written is not said to be for empty fields',
        'only_update_empty_fields: body.onlyEmptyFields,',
        '',
      ],
    ],
  ),
  ...bugsIn(
    'service',
    'activities/service/endpoints/document-uploads.ts',
    'test/activities/service/endpoints/reading.test.ts',
    [
      [
        'an answer without the success list is a success',
        'success: z.array(z.object({ id: uploadId })),',
        'success: z.array(z.object({ id: uploadId })).default([]),',
      ],
      [
        'a deleted value is the label of nothing',
        'label: toShownLabel(field.label || field.name),',
        'label: toShownLabel(field.label),',
      ],
    ],
  ),
  ...bugsIn(
    'service',
    'activities/service/endpoints/document-revisions.ts',
    'test/activities/service/endpoints/writing.test.ts',
    [['the event id is not sent', 'latest_event_id', 'latest_event']],
  ),
  ...bugsIn(
    'service',
    'activities/service/endpoints/oauth.ts',
    'test/activities/service/endpoints/reading.test.ts',
    [
      ['an endless lifetime is believed', 'wireSeconds.nonnegative()', 'z.number().nonnegative()'],
      ['a lifetime that cannot be read burns the login', '.nullish().catch(null)', '.nullish()'],
      ['seconds are taken for milliseconds', 'response.expires_in * 1_000', 'response.expires_in'],
    ],
  ),
  ...bugsIn(
    'service',
    'activities/service/endpoints/file-uploads.ts',
    'test/activities/service/endpoints/reading.test.ts',
    [
      ['an address ends a thousand times sooner', 'seconds * 1_000', 'seconds'],
      ['a session without segments opens', 'segments: z.array(segment) })', 'segments: wireList(segment) })'],
    ],
  ),
  ...bugsIn(
    'service',
    'activities/service/endpoints/wire.ts',
    'test/activities/service/endpoints/reading.test.ts',
    [
      [
        'a number is no id',
        'z.union([z.string().min(1).max(200), z.number().int()])',
        'z.string().min(1).max(200)',
      ],
      ['a null in a list fails the answer', '.array(item.nullable())', '.array(item)'],
    ],
  ),
  ...bugsIn(
    'service',
    'activities/service/rate/shared-rate-gate.ts',
    'test/activities/service/rate/shared-rate-gate.test.ts',
    [
      [
        'what a next leader is told is lost when it steps down',
        'this.#untold.splice(0)) this.#tell(say)',
        'this.#untold.splice(0)) say(source)',
      ],
    ],
  ),
];

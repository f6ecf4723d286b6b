// Bugs of the upload engine.
import { type Bug, bugsIn } from '../bug';

export const TRANSFER_BUGS: readonly Bug[] = [
  ...bugsIn(
    'transfer',
    'activities/transfer/send-file.ts',
    'test/activities/transfer/transfer-faults.test.ts',
    [
      [
        'sessions without end are opened for a file whose addresses are too many each time',
        '    transfer.opens += 1;\n',
        '',
      ],
    ],
    'another number of addresses',
  ),
  ...bugsIn(
    'transfer',
    'activities/transfer/linked-abort.ts',
    'test/activities/transfer/transfer-files.test.ts',
    [['many files at once warn of a leak', '  setMaxListeners(0, signal);\n', '']],
  ),
  ...bugsIn(
    'transfer',
    'activities/transfer/segment-plan.ts',
    'test/activities/transfer/segment-plan.test.ts',
    [
      [
        'the last segment is as long as the others',
        'Math.min(segmentBytes, sizeBytes - offset)',
        'segmentBytes',
      ],
      [
        'a segment of 5 MiB is refused by the storage',
        'TOO_SMALL_SEGMENT_BYTES + MEBIBYTE)',
        'TOO_SMALL_SEGMENT_BYTES)',
      ],
      ['an empty file is sent', 'if (sizeBytes === 0) throw', 'if (sizeBytes < 0) throw'],
      [
        'a file of exactly one segment has two',
        'if (sizeBytes <= preferredBytes)',
        'if (sizeBytes < preferredBytes)',
        { harmless: 'A file of exactly the size has one segment by the other way, too.' },
      ],
    ],
  ),
  ...bugsIn('transfer', 'activities/transfer/put-retry.ts', 'test/activities/transfer/put-retry.test.ts', [
    [
      'a refused address is not renewed',
      "kind: 'renew', delayMs: 0, faults: { ...faults, refusals",
      "kind: 'repeat', delayMs: 0, faults: { ...faults, refusals",
    ],
    ['a storage that refuses is asked for ever', 'if (refusals > mostRefusals)', 'if (refusals > 1e9)'],
    ['resets never lead to a new address', 'if (resetsInRow >= RESETS_BEFORE_RENEWAL) {', 'if (false) {'],
    ['the pauses do not grow', 'FIRST_DELAY_MS * 2 ** (passing - 1)', 'FIRST_DELAY_MS'],
    ['the pause that the storage asks for is not kept', 'Math.max(retryAfterMs ?? 0, doubled)', 'doubled'],
  ]),
  ...bugsIn(
    'transfer',
    'activities/transfer/storage/presigned-target.ts',
    'test/activities/transfer/storage/presigned-target.test.ts',
    [
      [
        'bytes go out without TLS',
        "    if (url.protocol !== 'https:') throw unsafe('a storage address is not https');\n    if (isIP",
        '    if (isIP',
      ],
      ["the storage gets the service's token", "  'authorization',\n", ''],
      [
        'a storage address leads into the own network',
        "addIPv4(PRIVATE_ADDRESSES, '10.0.0.0', 8);",
        "addIPv4(PRIVATE_ADDRESSES, '10.0.0.0', 16);",
      ],
      [
        'one safe address is enough',
        'addresses.some(({ address, family })',
        'addresses.every(({ address, family })',
      ],
      [
        'an address that was renewed is another place in the logs',
        "target.path.split('?', 1)[0] ?? ''",
        'target.path',
      ],
      [
        'another length than the file has is sent',
        'else if (value.trim() !== String(sizeBytes)) throw',
        "else if (value.trim() === '') throw",
      ],
    ],
  ),
  ...bugsIn(
    'transfer',
    'activities/transfer/file-transfer.ts',
    'test/activities/transfer/transfer-resume.test.ts',
    [
      [
        'a file that is too slow is sent without end when each attempt fails',
        '...(tooSlow === 0 ? {} : { tooSlow })',
        '',
      ],
      [
        'a file that could not be sent in an outage is given up as too slow',
        ' && known.partEtags.some(etag => etag !== null)',
        '',
      ],
    ],
  ),
  ...bugsIn(
    'transfer',
    'activities/transfer/session-step.ts',
    'test/activities/transfer/session-step.test.ts',
    [
      [
        'an old session is used',
        'at.nowMs - progress.openedAtMs >= at.sessionMaxAgeMs',
        'at.nowMs - progress.openedAtMs < 0',
      ],
      [
        'a file is reported with pieces missing',
        "progress.partEtags.includes(null) ? 'send' : 'report'",
        "'report'",
      ],
      [
        'a file that is still scanned is linked',
        "if (look.status === 'complete') return 'finished';",
        "if (look.status === 'complete') return 'available';",
      ],
      [
        'fresh addresses go to the wrong pieces',
        'etag === null ? fresh[next++] : undefined',
        'etag === null ? fresh[0] : undefined',
      ],
    ],
  ),
  ...bugsIn('transfer', 'activities/host/concurrency.ts', 'test/activities/host/concurrency.test.ts', [
    [
      'a slot is lost when its work fails',
      'return await work();\n    } finally {',
      'return await work();\n    } finally {\n      signal?.throwIfAborted();',
    ],
    ['one more than allowed is at work', 'if (free > 0) free -= 1;', 'if (free >= 0) free -= 1;'],
    ['one that gave up still gets its turn', 'line.splice(line.indexOf(begin), 1);', ''],
    ['one takes all that many share', 'used < Math.min(most, free)', 'used < most && free > 0'],
    ['after a failure new work is begun', 'if (failed !== undefined) return;', ''],
  ]),
  ...bugsIn('transfer', 'activities/transfer/look-pace.ts', 'test/activities/transfer/look-pace.test.ts', [
    [
      'looks come without a pause',
      '1_000 * 2 ** Math.min(looks, 10) - 500',
      '1_000 * 0 ** Math.min(looks, 10)',
    ],
  ]),
  ...bugsIn(
    'transfer',
    'activities/transfer/source-faults.ts',
    'test/activities/transfer/source-faults.test.ts',
    [
      [
        'a share that is away sets the file apart',
        'return new FileSystemError(codeOf(folderError) ?? code, { cause: folderError });',
        'return error;',
      ],
      [
        'a locked file is given up at once',
        "trouble === 'denied' || trouble === 'busy' ||",
        "trouble === 'denied' ||",
      ],
    ],
  ),
  ...bugsIn(
    'transfer',
    'activities/transfer/storage/storage.ts',
    'test/activities/transfer/storage-tls.test.ts',
    [
      ["the storage's certificate is not checked", 'rejectUnauthorized: true', 'rejectUnauthorized: false'],
      ['TLS 1.0 is enough', "minVersion: 'TLSv1.2'", "minVersion: 'TLSv1'"],
    ],
  ),
  ...bugsIn(
    'transfer',
    'activities/transfer/storage/storage.ts',
    'test/activities/transfer/storage/storage.test.ts',
    [
      [
        'a PUT without an ETag has succeeded',
        'if (/^[\\x21\\x23-\\x7e]{1,512}$/.test(etag)) return etag;',
        'return etag;',
      ],
      [
        'a Retry-After date is read by our clock',
        'parseRetryAfter(retryAfter, storageMs ?? nowMs)',
        'parseRetryAfter(retryAfter, nowMs)',
      ],
      [
        'whither the name of a storage leads is not looked at',
        'lookup: guardedLookup({\n          allowInsecureLoopback: this.#allowInsecureLoopback,\n          allowPrivate: options.allowPrivate ?? false,\n        }),',
        '',
      ],
      [
        'a storage that hangs is waited for without end',
        '    watchdog.expectResponse(this.#responseMs);\n',
        '',
      ],
      ['a busy storage has refused', "kind: isBusy ? 'busy' : 'refused'", "kind: 'refused'"],
      ['the quotes of an ETag stay', '.replace(/^"(.*)"$/, \'$1\')', ''],
    ],
  ),
  ...bugsIn(
    'transfer',
    'activities/transfer/transfer-run.ts',
    'test/activities/transfer/transfer-faults.test.ts',
    [
      [
        'a PUT that hangs and a file that is not released hold up the others one after the other',
        ' && atMs <= this.#endMs;',
        ';',
      ],
    ],
    'a PUT that hangs',
  ),
  ...bugsIn(
    'transfer',
    'activities/transfer/await-available.ts',
    'test/activities/transfer/transfer-files.test.ts',
    [
      [
        'a file that is refused is waited for',
        "if (state === 'unusable') transfer.left('session-refused', goneAt(transfer, shown));",
        '',
      ],
    ],
  ),
  ...bugsIn(
    'transfer',
    'activities/transfer/evidence.ts',
    'test/activities/transfer/transfer-faults.test.ts',
    [
      [
        'what was let in before an outage is taken for a storage that is there',
        'file !== at.file && begunMs > sinceMs',
        'file !== at.file',
      ],
    ],
    'a storage that refuses',
  ),
  ...bugsIn('transfer', 'activities/transfer/evidence.ts', 'test/activities/transfer/evidence.test.ts', [
    [
      'a file that fails on and on is to blame for it though nobody else gets through',
      'if (failure.strikes === 0 || this.#haveOthersBegunAfter(failure.lastMs, at)) failure.strikes += 1;',
      'failure.strikes += 1;',
    ],
  ]),
  ...bugsIn(
    'transfer',
    'activities/transfer/storage/storage-faults.ts',
    'test/activities/transfer/storage/storage-faults.test.ts',
    [
      [
        'a connection that the system refuses ends the batch',
        "return faultOfCall(error) ?? 'not-a-fault';",
        "return 'not-a-fault';",
      ],
    ],
  ),
  ...bugsIn(
    'transfer',
    'activities/ingest/transfer-batch-files.ts',
    'test/activities/ingest/transfer-batch-files.test.ts',
    [
      [
        'sending goes on with a session that the batch would not link',
        'input.linkWithinMs ?? SESSION_MAX_AGE_MS',
        'SESSION_MAX_AGE_MS',
      ],
      [
        'sending goes on with a session that the service is about to delete',
        'Math.min(input.linkWithinMs ?? SESSION_MAX_AGE_MS, SESSION_MAX_AGE_MS)',
        'input.linkWithinMs ?? SESSION_MAX_AGE_MS',
      ],
      [
        'after a restart it is forgotten how often a file was too slow',
        '    tooSlow: z.number().default(0),\n',
        '',
      ],
    ],
  ),
  ...bugsIn(
    'transfer',
    'activities/transfer/put-segments.ts',
    'test/activities/transfer/transfer-faults.test.ts',
    [
      [
        'a piece that failed is not sent again',
        "if (next.kind === 'leave-session') {",
        "if (next.kind !== 'unavailable') {",
      ],
      ['one piece more than once', 'transfer.segmentSent(index, etag);', 'transfer.segmentSent(0, etag);'],
      [
        'an address that was over before its turn came is tried',
        'await renewal.ifOver(index);\n        generation',
        'generation',
      ],
    ],
  ),
];

// Bugs of the activities themselves: what is asked of the service, and what becomes of its answers.
import { type Bug, bugsIn } from '../bug';

const DOCUMENTS = 'test/activities/ingest/documents.test.ts';

export const ACTIVITY_BUGS: readonly Bug[] = [
  ...bugsIn(
    'activities',
    'activities/ledger/index-writer.ts',
    'test/activities/ledger/ledger-index.test.ts',
    [
      ['rows are lost without a word', 'this.#hasLostRows = true;', ''],
      [
        'parts of files of keys fill a full disk',
        'await unlink(path).catch(() => undefined);\n      throw error;',
        'throw error;',
      ],
      [
        'an index is written under a lock that was lost',
        'if (await this.#lock.isHeld()) return;',
        'if (this !== undefined) return;',
      ],
      [
        'a file of keys is written under a lock that was lost',
        'await this.#requireLock();\n    // Of no',
        '// Of no',
      ],
      [
        'a file of keys has the name of one of another process',
        '`${this.#head.next}${randomInt(LEAST, MOST)}.keys`',
        '`${this.#head.next}.keys`',
      ],
    ],
  ),
  ...bugsIn(
    'activities',
    'activities/ledger/ledger-index.ts',
    'test/activities/ledger/ledger-index.test.ts',
    [
      ['the lock of a killed container holds for ever', 'staleAfterMs: LOCK_STALE_AFTER_MS, ', ''],
      ['a long reading loses its lock', 'void lock.touch()', 'void lock.isHeld()'],
    ],
  ),
  ...bugsIn(
    'activities',
    'activities/ledger/follow-ledger.ts',
    'test/activities/ledger/ledger-index.test.ts',
    [
      [
        'a share that was given another name forgets its ledger',
        '!otherShares.includes(read.record.share)',
        'read.record.share === reader.share',
      ],
    ],
    'another name',
  ),
  ...bugsIn(
    'activities',
    'activities/share/open-ledger.ts',
    'test/activities/ledger/served-ledgers.test.ts',
    [
      [
        'a clock that is set back makes a former revision the present one',
        'Math.max(entry.submittedAtMs, afterMs)',
        'entry.submittedAtMs',
      ],
    ],
    'set back',
  ),
  ...bugsIn(
    'activities',
    'activities/registers/sheet/ask-thread.ts',
    'test/activities/registers/sheet/ask-thread.test.ts',
    [
      ['a hundred workbooks are read at one time', 'const MOST_AT_ONCE = 2;', 'const MOST_AT_ONCE = 100;'],
      [
        'reading holds up what is written',
        'limits.set(task.doing, limit);',
        "limits.set('read', limit).set('written', limit);",
      ],
    ],
  ),
  ...bugsIn(
    'activities',
    'activities/ingest/submit/submit-again.ts',
    'test/activities/ingest/documents.test.ts',
    [
      [
        'a 404 of the whole project counts as submitted',
        "if (error.code === 'NOT_FOUND') await asking.askProject();",
        '',
      ],
      [
        'the project is asked for at each 404 of a group',
        'known ??= requireProject(',
        'known = requireProject(',
      ],
      [
        'a 404 of one upload is no word of being submitted',
        'const refusals = refusalsOf(error);',
        "const refusals = error.code === 'NOT_FOUND' ? [{ reasonCode: 'OTHER' as const, message: '' }] : refusalsOf(error);",
      ],
    ],
    'a 404 that says',
  ),
  ...bugsIn(
    'activities',
    'activities/ingest/find-absent.ts',
    'test/activities/ingest/documents.test.ts',
    [
      [
        'in a project that is not known uploads count as taken away',
        "if (documents.some(({ kind }) => kind === 'hidden'))",
        'if (documents.length === 0)',
      ],
    ],
    'whole project answers 404',
  ),
  ...bugsIn(
    'activities',
    'activities/ingest/decide/stop-former.ts',
    'test/activities/ingest/decide/stop-former.test.ts',
    [
      [
        'the upload that became the revision is to be deleted',
        "submitted.uploadId === uploadId ? '' :",
        "submitted.uploadId === before ? '' :",
      ],
    ],
  ),
  ...bugsIn('activities', 'activities/ingest/batches.ts', 'test/activities/ingest/batches.test.ts', [
    [
      'a name that a Mac has decomposed goes out as it lies there',
      "file.path.lastIndexOf('/') + 1).normalize('NFC')",
      "file.path.lastIndexOf('/') + 1)",
    ],
    [
      'after a reset by hand, new uploads of what was submitted are submitted as well',
      'stopFormer(await share.findFormerIntents(batchId, uploads), answered.meant)',
      'stopFormer([], answered.meant)',
    ],
    [
      'a run is told what it does not know',
      'const isTold = input.knows !== undefined;',
      'const isTold = true;',
    ],
  ]),
  ...bugsIn(
    'activities',
    'activities/change-orders/change-orders.ts',
    'test/workflows/change-orders/change-order.test.ts',
    [['a request whose title was corrected is made a second time', 'of others)', 'of likely)']],
    'whatever its title',
  ),
  ...bugsIn('activities', 'activities/scope/making.ts', 'test/activities/scope/making.test.ts', [
    [
      'what was made a moment before is made again, for no list shows it yet',
      'this.#told.lookedIn === attempt',
      'this.#told.lookedIn !== attempt',
    ],
    [
      'a line item is made twice when the one after it is turned away',
      '!this.#hasMade && asRefusal(error) === undefined',
      'asRefusal(error) === undefined',
    ],
    [
      'a second look that fails puts in doubt what nobody can have made',
      '!this.isPerhapsRepeated && !(error',
      '!this.isInDoubt && !(error',
    ],
    [
      'that a request had no answer is forgotten by a later refusal',
      'madeNothingIn: this.#scope.attempt, ...sent',
      'madeNothingIn: this.#scope.attempt',
    ],
  ]),
  ...bugsIn(
    'activities',
    'activities/observations/same-observation.ts',
    'test/activities/observations/same-observation.test.ts',
    [
      [
        'a hazard in another place is taken for ours',
        '[item.locationId, asked.locationId],',
        '[item.assigneeId, asked.assigneeId],',
      ],
    ],
  ),
  ...bugsIn(
    'activities',
    'activities/change-orders/change-orders-below.ts',
    'test/workflows/change-orders/change-order.test.ts',
    [
      [
        'drafts that a failed run left are passed over',
        'parentOf(row) !== null || isOurs(',
        'parentOf(row) !== null && isOurs(',
      ],
      [
        'parts of another change order, whose origin id begins alike, are told as left over',
        "=== (kind === 'request' ? 1 : 2)",
        '> 0',
      ],
    ],
    'failed half-way',
  ),
  ...bugsIn(
    'activities',
    'activities/change-orders/change-order-lines.ts',
    'test/workflows/change-orders/change-order.test.ts',
    [['an amount that somebody gave a calculated line item stays', 'isProduct &&\n', '']],
    'another amount by hand',
  ),
  ...bugsIn(
    'activities',
    'activities/ledger/decide/find-present.ts',
    'test/activities/ledger/decide/find-present.test.ts',
    [
      [
        'a file that is issued again as another revision is skipped',
        'isAgreed(candidate.revision, [said.revision, present.revision])',
        'true',
      ],
      [
        'a former revision that is to come back is skipped',
        'if (present === undefined || !isSameFile(candidate, present)) return undefined;',
        'if (present === undefined) return undefined;',
      ],
    ],
  ),
  ...bugsIn(
    'activities',
    'activities/ledger/decide/candidate.ts',
    'test/activities/ledger/decide/find-present.test.ts',
    [
      [
        'a document is skipped for one of another Name whose file is called alike',
        'candidate.isNameSaid === true ?',
        'candidate.isNameSaid === undefined ?',
      ],
    ],
  ),
  ...bugsIn(
    'activities',
    'activities/revision-order/turns.ts',
    'test/activities/revision-order/turns.test.ts',
    [
      [
        'a line stands behind what has ended, for the coordinator was not told',
        'turns === undefined || isUntold !== true',
        'turns === undefined || isUntold !== undefined',
      ],
      [
        'who is passed in the first of two replies is told to nobody',
        'passing: [...turns.passing, ...again.passing]',
        'passing: again.passing',
      ],
    ],
  ),
  ...bugsIn(
    'activities',
    'activities/revision-order/find-stops.ts',
    'test/activities/ingest/batches.test.ts',
    [
      [
        'what comes after a document that is still to be sent is skipped',
        'manifest.batchId, skipped)) stops.delete(index);',
        'manifest.batchId, skipped)) void index;',
      ],
      [
        'what an earlier run has begun is skipped',
        'refused === undefined && !begun.has(index)',
        'refused === undefined && begun.size >= 0 && index >= 0',
      ],
    ],
  ),
  ...bugsIn(
    'activities',
    'activities/ledger/served-ledgers.ts',
    'test/activities/ledger/served-ledgers.test.ts',
    [
      [
        'a batch is taken for its own twin',
        'one.batchId === candidate.batchId && one.index === candidate.index;',
        'one.batchId === candidate.batchId && one.index === candidate.index && false;',
      ],
    ],
  ),
  ...bugsIn(
    'activities',
    'activities/ledger/decide/decide-document.ts',
    'test/activities/ledger/decide/decide-document.test.ts',
    [
      [
        'an earlier revision goes after a later one',
        'compareParsed(own, theirs) < 0',
        'compareParsed(own, theirs) > 9',
      ],
      [
        'what was sent under both names is held',
        'if (sameBytes.some(one => isMeantBeside(candidate, one))) return undefined;',
        '',
      ],
    ],
  ),
  ...bugsIn(
    'activities',
    'activities/scope/temporal-time.ts',
    'test/activities/scope/temporal-time.test.ts',
    [
      [
        "a repeat that is handed out before its time sets Temporal's clock ahead",
        'if (isAgain && Number',
        'if (!isAgain && Number',
      ],
    ],
  ),
  ...bugsIn('activities', 'activities/scope/activity-scope.ts', 'test/activities/scope/come-back.test.ts', [
    [
      'an attempt that Temporal hands out before its time works at once',
      'if (earlyMs > 0) comeBack(',
      'if (earlyMs < 0) comeBack(',
    ],
    [
      'where clocks differ, an attempt is put off for as long as they do',
      'Math.min(back.atMs - systemClock.wallMs(), back.afterMs)',
      'back.atMs - systemClock.wallMs()',
    ],
    [
      'where clocks differ, an attempt is put off again and again',
      'report({ ...next, back }',
      'report({ ...next, ...(back && { back }) }',
    ],
  ]),
  ...bugsIn('activities', 'activities/scope/activity-scope.ts', 'test/workflows/ingest/heartbeats.test.ts', [
    [
      'no heartbeats',
      'setInterval(() => context.heartbeat(details), beatEveryMs(heartbeatTimeoutMs))',
      'setInterval(() => undefined, beatEveryMs(heartbeatTimeoutMs))',
    ],
    [
      'heartbeats slower than their time-out',
      'return Math.min(BEAT_EVERY_MS, timeoutMs / BEATS_A_TIMEOUT);',
      'return BEAT_EVERY_MS;',
    ],
  ]),
  ...bugsIn(
    'activities',
    'activities/scope/activity-scope.ts',
    'test/activities/ingest/asked-again.test.ts',
    [
      [
        'what an earlier run had asked for counts as a first attempt',
        'attempt: isOfOtherRun ? attempt + 1 : attempt,',
        'attempt,',
      ],
    ],
  ),
  ...bugsIn(
    'activities',
    'activities/scope/activity-scope.ts',
    'test/activities/observations/observation-files.test.ts',
    [
      [
        'what was asked for before a repair counts as asked for the first time',
        ' || asked?.again === true;',
        ';',
      ],
    ],
  ),
  ...bugsIn(
    'activities',
    'activities/change-orders/change-orders.ts',
    'test/activities/change-orders/change-orders.test.ts',
    [
      [
        'who asks for a change order is not heeded',
        'new Making(scope, { asked: input.asked, ...deps })',
        'new Making(scope, deps)',
      ],
      [
        'a part that is not shown for a moment is made again',
        'if (unshown.length > 0) making.waitUntilShown(`${name} ',
        'if (unshown.length > 99) making.waitUntilShown(`${name} ',
      ],
      [
        'what a run before has made a moment ago is made again',
        'await making.waitUntilAllListed(name);',
        'making.waitUntilListed(name);',
      ],
    ],
  ),
  ...bugsIn(
    'activities',
    'activities/timesheets/enter-timecards.ts',
    'test/activities/timesheets/enter-timecards.test.ts',
    [
      [
        'who asks for entries is not heeded',
        'new Making(scope, { asked: input.asked, ...deps })',
        'new Making(scope, deps)',
      ],
      [
        'what a run before has entered a moment ago is entered again',
        "await making.waitUntilAllListed('entries');",
        "making.waitUntilListed('entries');",
      ],
    ],
  ),
  ...bugsIn('activities', 'activities/ingest/probe-steps.ts', 'test/activities/ingest/probe-steps.test.ts', [
    [
      'whom the run before a reset had tried is forgotten',
      'return isOfOtherRun || asked.afterReset === true || asked.again === true;',
      'return asked.afterReset === true || asked.again === true;',
    ],
    [
      'the hold of the batch is not looked at between the tries of an outage',
      'if (!(await maySubmit(seeHold, input, scope)))',
      'if ((await maySubmit(seeHold, input, scope)) === undefined)',
    ],
    [
      'what was unheard before the run saw to the hold is counted twice',
      '{ attempts = attemptsBefore, unheard = [] }',
      '{ attempts = 0, unheard = [] }',
    ],
    [
      'whom this run had tried before a repair is forgotten',
      'return isOfOtherRun || asked.afterReset === true || asked.again === true;',
      'return isOfOtherRun || asked.afterReset === true;',
    ],
    [
      'what the run before a reset had linked is written once more',
      'isAskedBefore(scope, input.asked) || scope.attempt',
      'scope.attempt',
    ],
  ]),
  ...bugsIn(
    'activities',
    'activities/ingest/submit/wait-out-conflicts.ts',
    'test/activities/ingest/submit/wait-out-conflicts.test.ts',
    [
      [
        'what the run before a reset had submitted again is taken by somebody',
        '(item.isUntold || isAskedBefore)',
        'item.isUntold',
      ],
      [
        'a cut before the first request clears what was untold before it',
        'now.isCleared && input.items.some(isUntold)',
        'now.isCleared && input.items.length === 0',
      ],
    ],
  ),
  ...bugsIn(
    'activities',
    'activities/ingest/submit/see-hold.ts',
    'test/activities/ingest/submit/wait-out-conflicts.test.ts',
    [
      [
        'one who does not see the hold submits again and again',
        "(seen === 'unseen' && isJustSeen)",
        "seen === 'unseen'",
      ],
      [
        'a batch that another Temporal has taken is submitted again',
        "seen === 'ours' ||",
        "seen !== 'unseen' ||",
      ],
    ],
  ),
  ...bugsIn(
    'activities',
    'activities/ingest/documents.ts',
    DOCUMENTS,
    [
      [
        'fewer uploads than files are paired by place',
        'if (ids.length !== input.files.length || new Set(ids).size !== ids.length) {',
        'if (new Set(ids).size !== ids.length) {',
      ],
      ['the field of a refused value is not told', '    ...(field === undefined ? {} : { field }),\n', ''],
      [
        'one file that is refused takes all with it',
        'for (const files of halve(input.files))\n',
        'for (const files of [input.files.slice(0, 0)])\n',
      ],
      [
        'values are written over those of people',
        'onlyEmptyFields: input.onlyEmpty,',
        'onlyEmptyFields: false,',
      ],
      [
        'what failed to be linked counts as linked',
        'linked: sorted.succeeded.map(',
        'linked: [...sorted.succeeded, ...sorted.failed.map(({ item }) => item)].map(',
      ],
      [
        'links without an answer are not told from the first',
        '...(isPerhapsRepeated(scope, input.asked) ? { repeated: true } : {}),',
        '',
      ],
      [
        'one upload a document each time it is tried',
        'const unmade = input.files.filter(({ index }) => !made.has(index));',
        'const unmade = input.files;',
      ],
      [
        'a file’s trouble that looks like an outage holds the others',
        'if (isUnexplained(error) && scope.attempt > PATIENT_ATTEMPTS) ',
        "if (error.code === 'INTERNAL_ERROR' && scope.attempt > PATIENT_ATTEMPTS) ",
      ],
    ],
    'creating uploads|linking|writing values|the field of a refused value',
  ),
  ...bugsIn(
    'activities',
    'activities/ingest/submit/submit-revisions.ts',
    DOCUMENTS,
    [
      ['a second attempt submits again', "if (scope.attempt > 1) return { kind: 'unknown' };", ''],
      [
        'a lost answer is taken for a refusal',
        "if (error.effect === 'unknown') return { kind: 'unknown' };",
        "if (error.effect === 'unknown') return { kind: 'not-sent' };",
      ],
      ['the event id is dropped', 'latestEventId: eventId,', "latestEventId: '' as never,"],
      [
        'when reviews were named is told by the clock of the host',
        'const namedAtMs = scope.temporalMs();',
        'const namedAtMs = systemClock.wallMs();',
      ],
      [
        'how late it is is told by the clock of the host, whatever Temporal says',
        'if (begunMs === undefined) return Math.max',
        'return Math.max',
      ],
    ],
    'submitting',
  ),
  ...bugsIn(
    'activities',
    'activities/ingest/look-at-uploads.ts',
    'test/activities/ingest/look-at-uploads.test.ts',
    [
      [
        "the bulk read's first page only",
        'if (nextSearch === undefined || shown.size >= items.length) break;',
        'break;',
      ],
      [
        'the next page is the first one again',
        '...(search === undefined ? { query',
        '...(search !== null ? { query',
      ],
    ],
  ),
  ...bugsIn(
    'activities',
    'activities/ingest/look-at-uploads.ts',
    DOCUMENTS,
    [
      [
        'a deleted upload (410) was submitted',
        "if (isServiceError(error) && error.code === 'GONE') return 'deleted';",
        "if (isServiceError(error) && error.code === 'GONE') return 'hidden';",
      ],
      [
        'a project without the bulk read fails',
        'if (!isNoSuchRoute(error)) throw error;\n    deps.withoutBulk',
        'if (isNoSuchRoute(error)) throw error;\n    deps.withoutBulk',
      ],
      [
        'the 404 of the bulk read is paid for each time',
        '    deps.withoutBulk.set(project.projectId, systemClock.monotonicMs());\n',
        '',
      ],
      [
        'what the bulk read leaves out is not there',
        'if (upload === undefined || upload.latestEventId === null) doubtful.push(item);',
        "if (upload === undefined || upload.latestEventId === null) looks.set(item.index, 'hidden');",
      ],
    ],
    'reading uploads|looking again',
  ),
  ...bugsIn(
    'activities',
    'activities/scope/rest.ts',
    DOCUMENTS,
    [['a pause holds a slot', 'if (ms >= LEAST_BETWEEN_ATTEMPTS_MS)', 'if (ms < 0)']],
    'looking again|reading uploads',
  ),
  ...bugsIn(
    'activities',
    'activities/ingest/find-absent.ts',
    DOCUMENTS,
    [
      ['one look decides', 'const isLast = lookedMs >= forMs;', 'const isLast = true;'],
      [
        'what was seen is asked for again',
        "const shown = [...kinds].flatMap(([index, kind]) => (kind === 'shown' ? [index] : []));",
        'const shown: number[] = [];',
      ],
      [
        'an incomplete upload is there',
        "return status === 'COMPLETED' ? 'shown' : 'incomplete';",
        "return status === null ? 'incomplete' : 'shown';",
      ],
      [
        'the second kind of read is left out',
        "const unseen = items.filter(({ index }) => kinds.get(index) !== 'shown');",
        'const unseen = items.slice(0, 0);',
      ],
    ],
    'looking again',
  ),
  ...bugsIn(
    'activities',
    'activities/test-run/read-folder.ts',
    'test/activities/test-run/read-folder.test.ts',
    [
      [
        'a test run takes files of a share that is away for unreadable',
        'if (!isSourceFileError(error)) throw toShareError(error) ?? error;',
        "if (!isSourceFileError(error)) return refuse('unreadable-file');",
      ],
      [
        'a test run hashes what a folder that was exchanged for a link leads to',
        'await hashInPlace({ fs, hasher }, { file, place }, { signal });',
        'await hasher.hashFile(placeOf(base, file).toString(), { segments: [], signal });',
      ],
    ],
  ),
  ...bugsIn(
    'activities',
    'activities/ingest/claim-on-demand.ts',
    'test/activities/ingest/claim-on-demand.test.ts',
    [
      [
        'a part of a folder that has too many files is claimed, perhaps without its register',
        'else if (files.size + below.length > MOST_FILES) tooMany.push(path);\n',
        '',
      ],
      [
        'what is not there is not told where other files go',
        'const untaken = missing.filter(path => !isTaken(path));',
        'const untaken = batchIds.size > 0 ? [] : missing.filter(path => !isTaken(path));',
      ],
      ['claims that are begun later are waited for without an end', ' && known?.has(batch.batchId)', ''],
      ['a batch that is sealed anew is none', 'if (found === undefined && (', 'if (found === undefined || ('],
      ['a batch whose run was ended is followed for ever', ' || (isOver && found !== undefined)', ''],
    ],
    'more files than one|is told as well|begun later|sealed anew|somebody has ended',
  ),
  ...bugsIn(
    'activities',
    'activities/ingest/repeated-writes.ts',
    DOCUMENTS,
    [
      [
        'what the list of uploads was not read far enough to show is not linked',
        'const unseen = isAll ? [] :',
        'const unseen = isAll !== undefined ? [] :',
      ],
    ],
    'linking',
  ),
  ...bugsIn(
    'activities',
    'activities/ingest/submit/submit-again.ts',
    DOCUMENTS,
    [
      ['an upload that is gone is unclear', "isGone ? 'consumed' : 'unclear'", "'unclear'"],
      [
        'the id of a revision is lost with the attempt that was told it',
        'scope.report({ told: [...told] } satisfies Before);',
        '',
      ],
      [
        'the id of a revision is lost where the next one needs a right',
        'told.length === 0 || !isStandingStill(error)',
        'told.length >= 0 || !isStandingStill(error)',
      ],
      [
        'any refusal means that it was submitted',
        "refusal?.reasonCode === 'UPLOAD_NOT_FOUND'",
        'refusal !== undefined',
      ],
    ],
    'asking the submission',
  ),
  ...bugsIn(
    'activities',
    'activities/ingest/read-uploads.ts',
    DOCUMENTS,
    [
      [
        'an upload without an event id has one',
        "eventId: found.latestEventId ?? ('' as EventId),",
        "eventId: found.latestEventId ?? ('E' as EventId),",
      ],
      [
        'the analysis is not waited for',
        "return typeof found === 'object' && !isAnalysed(toView(found));",
        'return false;',
      ],
    ],
    'reading uploads',
  ),
  ...bugsIn('activities', 'workflows/run/failure-contract.ts', 'test/activities/scope/failure.test.ts', [
    ['an outage fails the batch', "SERVICE_UNAVAILABLE: 'repeated',", "SERVICE_UNAVAILABLE: 'fails',"],
  ]),
  ...bugsIn('activities', 'activities/scope/failure.ts', 'test/activities/scope/failure.test.ts', [
    [
      'a refused token is waited out',
      "TOKEN_REJECTED: 'TOKEN_REJECTED',",
      "TOKEN_REJECTED: 'SERVICE_UNAVAILABLE',",
    ],
    [
      'a share that is full fails the batch',
      "'share-full': 'SHARE_UNAVAILABLE',",
      "'share-full': 'BATCH_UNUSABLE',",
    ],
    [
      "the service's pause is not kept",
      'const delayMs = Math.max(1, Math.ceil(retryAtMs - systemClock.wallMs()));',
      'const delayMs = Math.max(1, Math.ceil(systemClock.wallMs() - retryAtMs));',
    ],
    ['a short pause is believed for ever', 'attempt > TRUSTED_ATTEMPTS ?', 'attempt > 1e9 ?'],
    [
      'a secret in a message is kept in the history',
      'message: maskForeignText(message, [], 500),',
      'message,',
    ],
  ]),
  ...bugsIn('activities', 'activities/ingest/await-files.ts', 'test/activities/ingest/await-files.test.ts', [
    [
      'that files are kept back for long is told at once',
      'input.tellsLong === true && isLong(nowMs - sinceMs)',
      'input.tellsLong === true',
    ],
    [
      'what is gone is waited for',
      "else if (state !== 'finished') gone.push(file);",
      "else if (state === 'finished') gone.push(file);",
    ],
    [
      'a release is not told to the other batches',
      '  for (const { reportedAtMs } of available) deps.releases.note(input.project, reportedAtMs, nowMs);\n',
      '',
    ],
    [
      'a release that a clock set back since has told counts',
      'input.releasedMs <= nowMs ? input.releasedMs : 0',
      'input.releasedMs',
    ],
    [
      'the files at the end are never looked at',
      '[...input.files.slice(plan.first), ...input.files.slice(0, plan.first)]',
      'input.files',
    ],
  ]),
  ...bugsIn(
    'activities',
    'activities/ingest/project-lookups.ts',
    'test/activities/ingest/plan-documents.test.ts',
    [
      [
        'a readonly field is written',
        'field.active && field.visible && !field.isReadonly',
        'field.active && field.visible',
      ],
      [
        'a code is not found in a long list',
        'if (named.some(({ label }) => foldText(label) === foldText(text))) return named;\n',
        'return named;\n',
      ],
      [
        'fields that additional rules require are not required',
        '[...requirement.fieldsRequiredByProject, ...requirement.additionalRequiredFields]',
        '[...requirement.fieldsRequiredByProject]',
      ],
    ],
  ),
  ...bugsIn(
    'activities',
    'activities/scope/fresh-cache.ts',
    'test/activities/ingest/plan-documents.test.ts',
    [
      [
        'an answer that failed is remembered',
        'if (this.#kept.get(key) === entry) this.#kept.delete(key);',
        '',
      ],
    ],
  ),
  ...bugsIn(
    'activities',
    'activities/ingest/project-lookups.ts',
    DOCUMENTS,
    [
      [
        'lists of documents are asked for in pages of 2,000',
        'const DOCUMENT_PAGE = 100;',
        'const DOCUMENT_PAGE = 2_000;',
      ],
    ],
    'in larger pages',
  ),
  ...bugsIn(
    'activities',
    'activities/scope/dependency-away.ts',
    'test/activities/scope/dependency-away.test.ts',
    [
      [
        'an outage is probed every second',
        'FIRST_DELAY_MS * 2 ** Math.min',
        'FIRST_DELAY_MS * 1 ** Math.min',
      ],
      ['all workers come back at one moment', 'delayMs / 2)) * random)', 'delayMs / 2)) * 0)'],
    ],
  ),
  ...bugsIn(
    'activities',
    'activities/scope/growing-parts.ts',
    'test/activities/scope/growing-parts.test.ts',
    [
      ['after an outage all are sent at once', 'if (attempt === 1 ||', 'if (attempt !== 0 ||'],
      ['the same document asks at each attempt', '(attempt - 2) % items.length', '0'],
      ['the parts do not grow', 'size *= GROWTH', 'size *= 1'],
    ],
  ),
  ...bugsIn(
    'activities',
    'activities/scope/sift-failures.ts',
    'test/activities/scope/sift-failures.test.ts',
    [
      [
        'in an outage an attempt sends all of them',
        'of inGrowingParts(items, how.attempt))',
        'of inGrowingParts(items, 1))',
      ],
      [
        'what is done already is sent again',
        'await sieve.sift(await done.open(part), done);',
        'await sieve.sift(part, done);',
      ],
      ['the last one that is left is never blamed', 'this.#knownGood ??= await done?.one();', ''],
    ],
  ),
];

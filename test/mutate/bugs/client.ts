// Bugs of what people and other programs meet: the watcher, the receiver, the command line.
import { type Bug, bugsIn } from '../bug';

export const CLIENT_BUGS: readonly Bug[] = [
  ...bugsIn('client', 'client/run/start-servers.ts', 'test/client/run/run-all.test.ts', [
    ['production runs on a development server unasked', '  requireWordForProduction(config);\n', ''],
  ]),
  ...bugsIn(
    'client',
    'client/commands/timesheets.ts',
    'test/client/commands/timesheets.test.ts',
    [['hours that no line stands for ask nobody for attention', 'leftOver.length > 0 ||', '']],
    'no line stands for',
  ),
  ...bugsIn('client', 'client/status/unserved.ts', 'test/client/status/unserved.test.ts', [
    [
      'on a machine whose clock is ahead nobody serves a share',
      '(await askTemporalNow(client)) ?? wallMs',
      'wallMs',
    ],
  ]),
  ...bugsIn('client', 'client/watch/watch-scan.ts', 'test/client/watch/watch-scan.test.ts', [
    ['a folder called like the marker is one', 'if (!isFolder && isMarker(path))', 'if (isMarker(path))'],
  ]),
  ...bugsIn('client', 'client/scorecard/tally-analysis.ts', 'test/client/scorecard/tally-analysis.test.ts', [
    [
      'what an answer put right counts as agreed with',
      'if (foldName(found) === foldName(given)) field.agreed += 1;',
      'if (found !== undefined || given !== undefined) field.agreed += 1;',
    ],
    [
      'a default is taken for somebody who overruled the analysis',
      "from !== 'service' && from !== 'default' && !again",
      "from !== 'service' && !again",
    ],
    [
      'a file that became a revision at once is compared with what it brought later',
      "if (outcome !== 'set-apart' || sha256",
      'if (sha256',
    ],
  ]),
  ...bugsIn(
    'client',
    'client/sign-in/service-session.ts',
    'test/client/commands/lists.test.ts',
    [
      [
        'a list for people ends at the first 429',
        'client: patientSender(adapters.client, { tell }), service',
        'service',
      ],
      [
        'a command waits for the limit and does not say so',
        '      process.stderr.write(`The rate',
        '      void (`The rate',
      ],
    ],
    'waits out',
  ),
  ...bugsIn('client', 'client/doctor/finding.ts', 'test/client/doctor/finding.test.ts', [
    ['what was not asked passes for well', "if (worst === 'ok') return", "if (worst !== 'wrong') return"],
  ]),
  ...bugsIn('client', 'client/doctor/looking-tokens.ts', 'test/client/doctor/look-at-service.test.ts', [
    [
      'a look uses up the refresh token of the workers',
      "if (record.grant === 'refresh_token') throw",
      'if (record.version !== 1) throw',
    ],
  ]),
  ...bugsIn('client', 'client/doctor/look-at-share.ts', 'test/client/doctor/look-at-share.test.ts', [
    ['a look makes the folders of a share', 'key, looksOnly: true }', 'key }'],
  ]),
  ...bugsIn('client', 'client/watch/cut-jobs.ts', 'test/client/watch/cut-jobs.test.ts', [
    [
      'the top folder that was served last comes first',
      'one.waitsSinceMs - other.waitsSinceMs',
      'other.waitsSinceMs - one.waitsSinceMs',
    ],
  ]),
  ...bugsIn('client', 'client/chores/watch-tests.ts', 'test/client/chores/watch-tests.test.ts', [
    [
      'a folder is tested while it is copied',
      '!known.isStarted && systemClock.monotonicMs() - known.sinceMs >= quietMs',
      '!known.isStarted',
    ],
    ['a folder is tested over and over', '!known.isStarted && ', ''],
  ]),
  ...bugsIn('client', 'client/watch/whole-jobs.ts', 'test/client/watch/whole-jobs.test.ts', [
    [
      'no longest wait for company',
      'settled.oldestMs + MOST_QUIET_TIMES * quietMs',
      'Number.POSITIVE_INFINITY',
    ],
    [
      'trouble with one folder keeps all others waiting',
      'const why = describeTrouble(error);',
      'throw error;',
    ],
    ['files go before it is quiet', 'nowMs >= atMs ? entries : this.#cutFull(entries)', 'entries'],
    [
      'a folder goes while a file in it is still written',
      'settled.isMoving ? Number.POSITIVE_INFINITY : ',
      '',
    ],
    [
      'a folder begins while its register is out of sight',
      'outOfSight?.mayBegin(top, settled.newestMs, isMarked) === false',
      'outOfSight?.mayBegin(top, settled.newestMs, isMarked) === undefined',
    ],
    [
      'what comes later goes before what waits',
      'let job = this.#jobOf(top, settled);',
      'let job: ReadyJob<SettledEntry> | undefined;',
    ],
  ]),
  ...bugsIn('client', 'client/watch/open-jobs.ts', 'test/client/watch/open-jobs.test.ts', [
    [
      'a job that cannot be closed is tried without a pause',
      'Math.max(job.idleSinceMs + share.config.quietMs, job.closeAgainMs ?? 0)',
      'job.idleSinceMs + share.config.quietMs',
    ],
  ]),
  ...bugsIn('client', 'client/watch/watch-recovery.ts', 'test/client/watch/watch-recovery.test.ts', [
    ['the log has no stack of a bug with one batch', 'why, ...bugOf(error) }', 'why }'],
  ]),
  ...bugsIn('client', 'client/watch/chore.ts', 'test/client/watch/chore.test.ts', [
    ['trouble of the share is told as a bug', 'if (!isBug(error)) return;', ''],
    ['a bug that comes back after a round without it is not told', "this.#incidents.ends('bug');", ''],
  ]),
  ...bugsIn('client', 'client/watch/watch-health.ts', 'test/client/watch/watch-health.test.ts', [
    [
      'trouble with every turn puts off the next claim for good',
      'if (last !== undefined && nowMs < last.untilMs) return;',
      '',
    ],
  ]),
  ...bugsIn('client', 'client/answers/held-batches.ts', 'test/client/answers/held-batches.test.ts', [
    [
      'an answer that nobody takes is waited for without end',
      'systemClock.wallMs() + ANSWERED_WITHIN_MS',
      'Number.MAX_SAFE_INTEGER',
    ],
    [
      'a run that has ended is answered again for ever',
      "if (error instanceof WorkflowNotFoundError) return 'run-ended';",
      '',
    ],
  ]),
  ...bugsIn('client', 'client/watch/batcher.ts', 'test/client/watch/batcher.test.ts', [
    ['a large job takes the whole road', 'return hasAny ? limit - 1 : limit;', 'return limit;'],
    [
      'one job whose record cannot be opened keeps all folders waiting',
      'const trouble = troubleOfOne(error);\n      if (trouble === undefined) throw error;',
      'const trouble = troubleOfOne(error);\n      if (trouble !== undefined) throw error;',
    ],
    [
      'a share that blinks while batches are counted keeps files back for good',
      'if (!hasRoom) tracker.release(batch.entries);',
      '',
    ],
    [
      'a file that is gone is claimed again and again',
      "if (why === 'gone') tracker.forget(entry);",
      "if (why === 'gone') tracker.release([entry]);",
    ],
  ]),
  ...bugsIn(
    'client',
    'client/watch/batcher.ts',
    'test/client/watch/watcher.test.ts',
    [
      [
        'open batches have no limit',
        'const hasRoom = this.#open < this.#mostFor(top);',
        'const hasRoom = true;',
      ],
    ],
    'claims no more than may be',
  ),
  ...bugsIn('client', 'client/watch/watch-tracker.ts', 'test/client/watch/watch-tracker.test.ts', [
    ['a file that grows has settled', 'before.sizeBytes !== now.sizeBytes ||', ''],
    [
      'a file settles at the first look',
      'if (before === undefined || !this.#isUnchanged',
      'if (!this.#isUnchanged',
    ],
    [
      'a share that makes up inodes never settles',
      'return tracked.inodeChanges >= MAX_INODE_CHANGES;',
      'return false;',
    ],
    [
      'what is in hand is forgotten',
      'tracked.scan !== this.#scan && !tracked.inHand',
      'tracked.scan !== this.#scan',
    ],
    ['a file that is busy is tried at once, always', 'settleMs * 2 ** (times - 1)', 'settleMs'],
    ['one folder crowds out all others', 'if (most <= 0) return false;', 'return false;'],
  ]),
  ...bugsIn('client', 'client/watch/watch-scan.ts', 'test/client/watch/watch-scan.test.ts', [
    ['what a broken-off scan did not meet is gone', 'if (signal.aborted || left.size > 0) return false;', ''],
    [
      'a file that cannot be looked at ends the scan',
      'if (isGone(error)) tracker.forget(name);\n      else {',
      'if (isGone(error)) tracker.forget(name);\n      else if (name.path !== "") throw error;\n      else {',
    ],
  ]),
  ...bugsIn('client', 'client/watch/watch-starts.ts', 'test/client/watch/watch-starts.test.ts', [
    [
      'a batch whose start failed is dropped',
      '        this.#waiting.set(batch.batchId, batch);\n        await pause',
      '        await pause',
    ],
    [
      'a run that somebody ended is started again',
      'batch.hadRun === true\n        ? await',
      'batch.hadRun === null\n        ? await',
    ],
    [
      'that it stopped is said each minute',
      "if (this.#incidents.begins(batchId)) this.#tell({ event: 'batch-stopped'",
      "this.#tell({ event: 'batch-stopped'",
    ],
  ]),
  ...bugsIn('client', 'client/webhooks/webhook-secret.ts', 'test/client/webhooks/webhook-secret.test.ts', [
    [
      'the secret is compared without case',
      "digest(typeof given === 'string' ? given : '')",
      "digest(typeof given === 'string' ? given.toLowerCase() : '')",
    ],
    [
      'the previous secret has no end',
      '(each.untilMs === undefined || nowMs < each.untilMs)',
      '(each.untilMs === undefined || nowMs < Number.POSITIVE_INFINITY)',
    ],
    [
      'an empty header passes for an empty secret',
      "return typeof given === 'string' && fits.includes(true);",
      'return fits.includes(true);',
      { harmless: 'No secret is empty: the configuration refuses it.' },
    ],
  ]),
  ...bugsIn(
    'client',
    'client/webhooks/webhook-receiver.ts',
    'test/client/webhooks/webhook-receiver.test.ts',
    [
      [
        'the secret is not asked for',
        "if (!isOurs(request.headers[header])) return reject(reply, 401, 'secret');",
        '',
      ],
      [
        'an event that was not recorded is confirmed',
        "return reject(reply.header('retry-after', '5'), 503, 'temporal');",
        'return reply.code(204).send();',
      ],
      [
        'a huge body is read',
        "if (Number(request.headers['content-length'] ?? 0) > MOST_BYTES) return reject(reply, 413, 'size');\n",
        '',
        { harmless: 'The server refuses it by its own limit, with the same answer.' },
      ],
      [
        'a form is taken for JSON',
        "if (!isJson(request.headers['content-type'])) return reject(reply, 415, 'type');",
        '',
      ],
    ],
  ),
  ...bugsIn(
    'client',
    'client/webhooks/webhook-reactions.ts',
    'test/client/webhooks/webhook-reactions.test.ts',
    [
      ['our own changes wake us', "return { kind: 'ignore', why: 'own-change' };", 'void 0;'],
      [
        'events of other projects are taken',
        'if (scope.projectId !== undefined) return event.projectId === scope.projectId;',
        'if (scope.projectId !== undefined) return true;',
      ],
    ],
  ),
  ...bugsIn('client', 'client/session/follow-run.ts', 'test/client/session/follow-run.test.ts', [
    [
      'fields that an earlier worker does not know are told by their names',
      'hasUnknownFields(why) ? WORKER_IS_EARLIER : why',
      'why',
    ],
  ]),
  ...bugsIn('client', 'client/session/terminal-text.ts', 'test/client/session/terminal-text.test.ts', [
    ['a name writes to the terminal', "text.replace(/[\\p{Cc}\\p{Cf}\\u2028\\u2029]/gu, '\\uFFFD')", 'text'],
    [
      'a command to copy runs what a name says',
      "return `'${visible.replaceAll(\"'\", `'\\\\''`)}'`;",
      "return `'${visible}'`;",
    ],
    ['KiB are shown as B', 'Math.log2(Math.max(1, bytes)) / 10', 'Math.log2(Math.max(1, bytes)) / 20'],
  ]),
  ...bugsIn('client', 'client/import/observation-made.ts', 'test/client/import/observation-made.test.ts', [
    [
      'what is made is read from sentences for people, not from its own field',
      'if (made !== undefined) return made;',
      'if (made === undefined) return made;',
    ],
  ]),
  ...bugsIn('client', 'client/import/read-rows.ts', 'test/client/import/read-rows.test.ts', [
    ['a faulty row has the place of another', 'place: `item ${index + 1}`', 'place: `item ${index}`'],
    [
      'more faults than fit are not counted',
      'faults.length > MOST_FAULTS',
      'faults.length > 10 * MOST_FAULTS',
    ],
  ]),
  ...bugsIn('client', 'client/run/incident-filter.ts', 'test/client/run/incident-filter.test.ts', [
    [
      'an outage is said by every process',
      'return this.#away.begins(toSubject(record)) ? record : undefined;',
      'return record;',
    ],
    [
      'a hundred batches that wait are said a hundred times',
      'return group.batches.size === 1;',
      'return true;',
    ],
  ]),
  ...bugsIn('client', 'client/run/keep-running.ts', 'test/client/run/keep-running.test.ts', [
    [
      'one answer counts for good',
      '(await part.answers()) ? 0 : unanswered + 1',
      'unanswered + ((await part.answers()) ? 0 : 1)',
    ],
  ]),
  ...bugsIn('client', 'client/status/batch-status.ts', 'test/client/status/batch-status.test.ts', [
    ['a batch is listed with each of its runs', 'if (!seen.has(run.workflowId)) yield run;', 'yield run;'],
  ]),
  ...bugsIn('client', 'client/resume/other-runs.ts', 'test/client/resume/other-runs.test.ts', [
    ['resume finds the newest of many runs only', 'query: OTHERS }), most)', 'query: OTHERS }), MOST_SHOWN)'],
    ['resume asks runs that are not meant', 'mayBeWanted(filter, workflowId);', 'workflowId !== undefined;'],
    [
      'those that did not answer are not counted',
      'progress === undefined && !SILENT',
      'progress === null && !SILENT',
    ],
  ]),
  ...bugsIn('client', 'client/resume/continue-batch.ts', 'test/workflows/ingest/ended-runs.test.ts', [
    [
      'what stood still stands still after a reset as well',
      'await this.#signal({ ...batch, runId: reset.runId }, { afterReset: true });',
      '',
    ],
  ]),
  ...bugsIn('client', 'client/resume/stopped-batch.ts', 'test/client/resume/stopped-batch.test.ts', [
    [
      'a time of the batch is one of the local clock',
      'T${hour}:${minute}:${second}Z`',
      'T${hour}:${minute}:${second}`',
    ],
    [
      'any project is meant',
      'filter.projectId === undefined || filter.projectId === facts.projectId',
      'filter.projectId === undefined || facts.projectId !== null',
    ],
  ]),
  ...bugsIn('client', 'client/status/share-intake.ts', 'test/client/status/share-intake.test.ts', [
    ['a full disk is no reason', "!hasSpace ? 'no-space' :", ''],
    ['batches that nobody runs keep files out', 'batches.filter(isOnItsWay).length', 'batches.length'],
  ]),
  ...bugsIn('client', 'client/session/named-file.ts', 'test/client/session/bring-into-drop.test.ts', [
    [
      'a file grows in the drop folder while it is copied',
      'const draft = new Place(folder, temporaryName());',
      "const draft = new Place(folder, 'copy.pdf');",
    ],
    [
      'a file on the share that somebody else’s is linked to is copied',
      'if (source.isShared) for',
      'if (!source.isShared) for',
    ],
  ]),
  ...bugsIn(
    'client',
    'client/import/observation-import.ts',
    'test/client/import/observation-import.test.ts',
    [
      [
        'what lies under the hash of a photo is taken for the photo',
        '(await holds(fs, place, content))',
        'content.sizeBytes >= 0',
      ],
    ],
  ),
  ...bugsIn('client', 'client/session/bring-into-drop.ts', 'test/client/session/bring-into-drop.test.ts', [
    [
      'two files of one name: one is lost',
      'if (other === source.path) continue;\n',
      'if (other !== undefined) continue;\n',
    ],
    [
      'copies that get no name stay in the drop folder',
      'for (const draft of drafts.values()) await fs.unlink(draft).catch(() => undefined);',
      '',
    ],
    [
      'some get their names though another one’s is taken',
      'for (const name of drafts.keys()) await requireFree(into, name);\n',
      '',
    ],
  ]),
  ...bugsIn('client', 'client/run/keep-running.ts', 'test/client/run/keep-running.test.ts', [
    ['what ends again and again is begun for ever', 'if (recent >= MANY_ENDS)', 'if (recent >= 1e9)'],
    [
      'it is begun again while we stop',
      '      if (stopping.signal.aborted) return;\n      current =',
      '      current =',
    ],
  ]),
  ...bugsIn('client', 'client/resume/stopped-history.ts', 'test/client/resume/stopped-history.test.ts', [
    [
      'what a run did after the failure that ended it is forgotten',
      'completedAfter(events, doom) > 1',
      'completedAfter(events, doom) > 1_000',
    ],
  ]),
  ...bugsIn('client', 'client/console/access/openid-access.ts', 'test/client/console/access/access.test.ts', [
    [
      'an address that is called unverified as text is let in',
      'said !== undefined && said !== true',
      'said === false && said !== true',
    ],
  ]),
  ...bugsIn('client', 'client/run/narrate-files.ts', 'test/client/run/narrator.test.ts', [
    [
      'a receipt is green though files were set apart',
      "setApart + held > 0 ? 'yellow' : 'green'",
      "held > 0 ? 'yellow' : 'green'",
    ],
    ['the answer to a conflict is a value', '/conflict/i.test(code)', '/conflicts/i.test(code)'],
  ]),
  ...bugsIn(
    'client',
    'client/console/page/views/waiting/model/active-cell.ts',
    'test/client/console/page/views/waiting/model/active-cell.test.ts',
    [
      [
        'what is typed goes to the document that came to stand there',
        'row: row < 0 ? before.row : row,',
        'row: before.row,',
      ],
    ],
  ),
  ...bugsIn('client', 'client/watch/watch-right.ts', 'test/client/watch/watch-right.test.ts', [
    [
      'whose watch it is is never told where the batches could not be counted',
      'const batches = (await share.openBatches())',
      'this.#told = watching.id;\n    const batches = (await share.openBatches())',
    ],
  ]),
  ...bugsIn('client', 'client/resume/wake-after-login.ts', 'test/client/resume/wake-after-login.test.ts', [
    [
      'one batch that has ended keeps the others asleep',
      'if (!(error instanceof WorkflowNotFoundError)) throw error;',
      'throw error;',
    ],
  ]),
  ...bugsIn('client', 'client/console/jobs/find.ts', 'test/client/console/jobs/finished.test.ts', [
    ['documents of one path are found as one', 'key: keyOfDocument(document),', "key: '',"],
  ]),
  ...bugsIn('client', 'client/console/jobs/to-rows.ts', 'test/client/console/jobs/jobs.test.ts', [
    [
      'what was set apart leads to another document of its path',
      'index: of.index }) === wanted',
      'index: 0 }) !== wanted',
    ],
  ]),
  ...bugsIn(
    'client',
    'client/console/operations/operations.ts',
    'test/client/console/operations/operations.test.ts',
    [
      [
        'what is counted between two quarters is in neither',
        'this.#begun = this.#last;',
        'this.#begun = this.#at === -1 ? this.#last : now;',
      ],
    ],
  ),
  ...bugsIn(
    'client',
    'client/console/page/views/waiting/model/paste.ts',
    'test/client/console/page/views/waiting/model/paste.test.ts',
    [['a paste writes into what somebody else has answered', "text === '' || !open.has(id)", "text === ''"]],
  ),
  ...bugsIn(
    'client',
    'client/console/page/views/job/way-as-text.ts',
    'test/client/console/page/views/job/way-as-text.test.ts',
    [['what has not happened is copied as done', 'hasHappened ? text : words.ahead(text)', 'text']],
  ),
  ...bugsIn(
    'client',
    'client/console/page/views/drop/hash-some.ts',
    'test/client/console/page/views/drop/hash-some.test.ts',
    [
      [
        'a large file keeps the others from being hashed',
        'file.size > MOST_HASHED_BYTES || file.size === 0 || SHEET.test(path)) continue;',
        'SHEET.test(path)) continue;',
      ],
    ],
  ),
  ...bugsIn(
    'client',
    'client/console/operations/lookout.ts',
    'test/client/console/operations/lookout.test.ts',
    [
      [
        'who asks during the look after a deed is told what was before',
        'if (this.#looking === undefined) {\n      if (last',
        'if (last !== undefined && nowMs - last.atMs < FRESH_MS) return last;\n    if (this.#looking === undefined) {\n      if (last',
      ],
    ],
  ),
  ...bugsIn('client', 'client/console/waiting/all-held.ts', 'test/client/console/waiting/waiting.test.ts', [
    [
      'what was answered waits again, as its share has it',
      'new Set([...now.replied, ...batches',
      'new Set([...batches',
    ],
  ]),
  ...bugsIn('client', 'client/console/access/cookies.ts', 'test/client/console/access/access.test.ts', [
    [
      'two pages on one host name their cookies alike',
      "createHash('sha256').update(key)",
      "createHash('sha256')",
    ],
  ]),
  ...bugsIn(
    'client',
    'client/console/page/views/waiting/model/grid.ts',
    'test/client/console/page/views/waiting/model/grid.test.ts',
    [
      ['a value of an unknown field is left out of what is saved', 'isUnknown || row.needs', 'row.needs'],
      ['a decision goes out for another question', 'batchId, question, reason]', 'batchId]'],
    ],
  ),
  ...bugsIn('client', 'client/console/drop/find-upload.ts', 'test/client/console/drop/drop-module.test.ts', [
    ["two people of one name have each other's uploads", 'isBy(state, person)', 'state.by === person.name'],
  ]),
  ...bugsIn('client', 'client/console/drop/drop-module.ts', 'test/client/console/drop/drop-module.test.ts', [
    [
      'a window gives up what another one is sending',
      'if (query.window !== undefined) turns.take(params.upload, query.window);',
      '',
    ],
  ]),
];

// Bugs of the code that touches the share.
import { type Bug, bugsIn } from '../bug';

export const SHARE_BUGS: readonly Bug[] = [
  ...bugsIn('share', 'activities/host/error-code.ts', 'test/activities/share/files/share-error.test.ts', [
    ['a wrong argument to Node is told as trouble of a share', "code?.startsWith('ERR_') === true", 'false'],
  ]),
  ...bugsIn(
    'share',
    'activities/share/receipt/corrected/decide-correction.ts',
    'test/activities/share/receipt/corrected/corrected-sheets.test.ts',
    [
      [
        'rows go with a register that is not known as one',
        '!taken.has(name) && isNamed(name)',
        '!taken.has(name)',
      ],
      [
        'a document that is called like a receipt is read as one',
        'isDocument(folder, receipts, sheet)',
        'false',
      ],
    ],
  ),
  ...bugsIn(
    'share',
    'activities/share/receipt/corrected/set-apart-safety.ts',
    'test/activities/share/receipt/corrected/set-apart-safety.test.ts',
    [
      [
        'what may have a revision goes back by itself',
        "'perhaps-submitted': 'look-first',",
        "'perhaps-submitted': 'no-revision',",
      ],
      [
        'what the service has shown goes back by itself',
        "verdictOf(code) !== 'look-first' && !wasSeen",
        "verdictOf(code) !== 'look-first'",
      ],
      [
        'an unknown reason goes back by itself',
        "entryOf(AFTER_SET_APART, code) ?? 'look-first'",
        "entryOf(AFTER_SET_APART, code) ?? 'no-revision'",
      ],
    ],
  ),
  ...bugsIn(
    'share',
    'activities/share/receipt/corrected/stopped-rows.ts',
    'test/activities/share/receipt/corrected/corrected-sheets.test.ts',
    [
      [
        'a note beside a document that may have its revision sends it once more',
        "needed === 'anything' || written.includes('send')",
        'true',
      ],
      [
        'a "send" that stood there before counts as a look',
        "written.includes('send')) return undefined;",
        "cells.some((_, at) => actionAt(at) === 'send')) return undefined;",
      ],
    ],
    'a row of which a revision may be there',
  ),
  ...bugsIn(
    'share',
    'activities/share/drop/document-words.ts',
    'test/activities/share/receipt/corrected/corrected-sheets.test.ts',
    [
      [
        'a mended Name sends no document whose revision the service has',
        'const columns = OWN_NAMES.map(',
        'const columns = OWN_NAMES.slice(1).map(',
      ],
    ],
    'a row of which a revision may be there',
  ),
  ...bugsIn(
    'share',
    'activities/share/receipt/corrected/fetch-file.ts',
    'test/activities/share/receipt/corrected/rows-again.test.ts',
    [
      [
        'a file that an earlier version took goes as that of another row of the same number',
        '(await hashOf(hasher, path, facts)) === row.sha256',
        'true',
      ],
    ],
    'goes as itself also where an earlier version',
  ),
  ...bugsIn(
    'share',
    'activities/share/receipt/corrected/rows-again.ts',
    'test/activities/share/receipt/corrected/rows-again.test.ts',
    [
      [
        'a row is sent beside what was asked for it before, and waits',
        'if (earlier !== undefined) {',
        'if (earlier !== undefined && !earlier.sheet) {',
      ],
      [
        'a document of a path of its own is taken for a later one of another path',
        'if (documents.has(beside)) continue;',
        '',
      ],
      [
        'the third file of a path is told under the name of the second',
        'names[at] ?? names.at(-1)',
        'names[0]',
      ],
    ],
    'a path under which two batches|what was asked for a row goes first',
  ),
  ...bugsIn(
    'share',
    'activities/share/jobs/uploads/grow-file.ts',
    'test/activities/share/jobs/uploads/upload-room.test.ts',
    [
      [
        'a file that comes over the page gets further from what is on disk than is sent again',
        'written + bytes.length - synced > SYNC_BYTES',
        'written - synced > SYNC_BYTES',
      ],
    ],
    'power went',
  ),
  ...bugsIn(
    'share',
    'activities/share/jobs/uploads/upload-parts.ts',
    'test/activities/share/jobs/uploads/upload-room.test.ts',
    [['what a share could not put on disk counts as there', 'part.isOwn = false;', 'part.isOwn = true;']],
    'did not take',
  ),
  ...bugsIn(
    'share',
    'activities/share/receipt/set-apart.ts',
    'test/activities/share/receipt/set-apart.test.ts',
    [
      [
        'of two files of one path the first goes, whichever is asked for',
        'hashed !== undefined && hashed === sha256',
        'hashed !== undefined',
      ],
      [
        'a file waits for what was asked for another one of its path',
        'samePath === undefined || row.upload',
        'samePath !== null || row.upload',
      ],
    ],
    'each goes back as the file that it was|each goes only with what was asked',
  ),
  ...bugsIn(
    'share',
    'activities/share/receipt/job-sheets.ts',
    'test/activities/share/receipt/corrected/rows-again.test.ts',
    [
      [
        'a receipt so far calls what lies in the drop folder missing',
        'input.isSoFar === true ? [] : notThere',
        'notThere',
      ],
    ],
    'of a job on its way',
  ),
  ...bugsIn(
    'share',
    'activities/share/receipt/held/put-sheet.ts',
    'test/activities/share/receipt/held/held-sheets.test.ts',
    [
      [
        'what is told while the earlier note is open in a program reaches nobody',
        'if (mayGoHere && isOpen && name !== NOTE) return false;',
        'if (mayGoHere && isOpen) return false;',
      ],
    ],
    'open in a program, and both',
  ),
  ...bugsIn(
    'share',
    'activities/share/receipt/held/put-sheet.ts',
    'test/activities/share/receipt/held/corrected-before.test.ts',
    [['the sheet of a person is written over where something of it was refused', ' && !isRefused', '']],
    'a valid cell beside a wrong one',
  ),
  ...bugsIn(
    'share',
    'activities/registers/corrections/read-corrections.ts',
    'test/activities/share/receipt/held/corrected-before.test.ts',
    [['what was taken up before is written once more', ' && !kept.includes(text)', '']],
    'a copy with an earlier correction in it',
  ),
  ...bugsIn(
    'share',
    'activities/registers/corrections/read-corrections.ts',
    'test/activities/share/receipt/held/corrected-before.test.ts',
    [['what was refused before does not go again where its cell is left as it is', ' || isSentAgain', '']],
    'a cell that is left as it is goes again',
  ),
  ...bugsIn(
    'share',
    'activities/share/receipt/held/decide-rows.ts',
    'test/activities/share/receipt/held/corrected-before.test.ts',
    [['a column that is added to a register of 100 is one too many', ', isAnswered: true', '']],
    'a register of as many columns',
  ),
  ...bugsIn(
    'share',
    'activities/share/receipt/held/corrected-before.ts',
    'test/activities/share/receipt/held/corrected-before.test.ts',
    [
      [
        'a refused correction counts as one that was taken up',
        'isTaken ? [...steps, step] : steps',
        '[...steps, step]',
      ],
    ],
    'a valid cell beside a wrong one',
  ),
  ...bugsIn(
    'share',
    'activities/share/receipt/held/corrected-before.ts',
    'test/activities/share/receipt/held/corrected-before.test.ts',
    [
      [
        'a cell that is set back after a refusal is not answered',
        'steps.with(-1, { ...step, isRefused: true })',
        'steps.slice(0, -1)',
      ],
    ],
    'a cell that is set back',
  ),
  ...bugsIn(
    'share',
    'activities/share/receipt/corrected/dropped-sheets.ts',
    'test/activities/share/receipt/corrected/dropped-sheets.test.ts',
    [
      [
        'a sheet is taken from beside the files that its rows name',
        'if (named.unlisted.length < paths.length - 1) return undefined;',
        '',
      ],
      [
        'a share that has gone is trouble of one sheet',
        '      await layout.fs.look(layout.root);\n      // Somebody has it open',
        '      // Somebody has it open',
      ],
    ],
  ),
  ...bugsIn(
    'share',
    'activities/share/receipt/corrected/dropped-sheets.ts',
    'test/activities/share/receipt/corrected/dropped-sheets.test.ts',
    [['a sheet is moved while something comes to it', 'if (!isQuiet) return toWaiting(layout, entry);', '']],
    'it goes beside the receipt of its job',
  ),
  ...bugsIn(
    'share',
    'activities/share/claim/batch-origin.ts',
    'test/activities/share/claim/batch-origin.test.ts',
    [
      [
        'a folder with a broken seal is ours',
        "if ([manifest, claim, wanted].includes('broken')) return 'not-ours';",
        '',
      ],
      [
        'files without a claim are nothing',
        "for await (const _ of fs.entries(paths.files)) return 'not-ours';",
        '',
      ],
      [
        'a link to an empty folder is one',
        "if ((await fs.look(paths.folder)).kind !== 'folder') return 'not-ours';",
        '',
      ],
      [
        'a copy of a finished batch is ours',
        "if (origin !== 'ours' || !(await isFinished(layout, batchId))) return origin;",
        'return origin;',
      ],
      ['whoever copies a live batch ends it', "=== 'ours';\n}", "!== 'none';\n}"],
      [
        'a torn claim is a stranger’s',
        "if (wanted === 'ours') return manifest",
        "if (claim === 'ours') return manifest",
      ],
      [
        'a spoilt receipt stops the intake',
        "return receipt === 'broken' || isOtherKey(receipt) ? 'damaged' : 'ours';",
        "return 'ours';",
      ],
      ['a batch of another key is a stranger’s', 'if (otherKey !== undefined) return otherKey;', ''],
      [
        'a claim of another key is a stranger’s',
        '[manifest, wanted].find(isOtherKey)',
        '[manifest].find(isOtherKey)',
      ],
    ],
  ),
  ...bugsIn(
    'share',
    'activities/share/claim/other-project.ts',
    'test/activities/share/claim/other-project.test.ts',
    [
      [
        'a lost manifest of what was begun counts as left',
        'if (isClaim && !(await isBegun(paths))) return now;',
        'if (isClaim) return now;',
      ],
      ['any folder counts as left', '(await readWanted(paths)).files.size > 0', 'true'],
    ],
  ),
  ...bugsIn('share', 'activities/share/batch/journal.ts', 'test/activities/share/files/seals.test.ts', [
    ['a record of another key holds up its batch', " && code !== 'key-differs'", ''],
  ]),
  ...bugsIn(
    'share',
    'activities/share/claim/give-back-twin.ts',
    'test/activities/share/claim/give-back.test.ts',
    [
      [
        'all claims are looked through for every linked file',
        'this.#found ??= this.#find();',
        'this.#found = this.#find();',
      ],
      [
        'a file that is linked twice is taken out of the claim of its other name',
        'if (!mayBeGivenBackAs(key, keyOf(file))) continue;',
        '',
      ],
    ],
  ),
  ...bugsIn(
    'share',
    'activities/share/drop/test-folder.ts',
    'test/activities/share/drop/test-folder.test.ts',
    [
      [
        'the result of a test is written over what a person made of it',
        'if (!(await isOneOf(layout, place, results))) continue;',
        '',
      ],
      ['a change of a file is no reason for another test', ' ${facts.sizeBytes} ${facts.mtimeNs}', ''],
    ],
  ),
  ...bugsIn('share', 'activities/share/jobs/cut-job.ts', 'test/activities/share/jobs/cut-job.test.ts', [
    [
      'a batch has one file less than it may',
      'batch.length >= limits.maxFiles',
      'batch.length >= limits.maxFiles - 1',
    ],
    ['a file above the limit never travels', 'if (isFull && batch.length > 0) {', 'if (isFull) {'],
  ]),
  ...bugsIn('share', 'activities/share/open-notes.ts', 'test/activities/share/files/seals.test.ts', [
    [
      'a journal is written with two keys',
      'hasCode<ShareErrorCode>(error, ...NEVER_READ)',
      'error instanceof Error',
    ],
  ]),
  ...bugsIn('share', 'activities/share/open-notes.ts', 'test/activities/share/open-ledger.test.ts', [
    [
      'the journal says that a document has ended before the ledger has it',
      'await this.#ledger.note(manifest, fresh.outcomes);',
      'void this.#ledger.note(manifest, fresh.outcomes).catch(() => undefined);',
    ],
    [
      'a manifest that cannot be read for a moment counts as spoilt',
      "  'batch-unknown',\n",
      "  'batch-unknown',\n  'unreadable-now',\n",
    ],
  ]),
  ...bugsIn(
    'share',
    'activities/share/claim/claim-copy.ts',
    'test/activities/share/other-device.test.ts',
    [
      [
        'from a mount with the number of the share’s own device nothing is claimed',
        '(await isTheSame()) && isCopyOf(await fs.look(copy), entry)',
        '(await isTheSame()) && isCopyFromElsewhere(await fs.look(copy), entry)',
      ],
    ],
    'is carried',
  ),
  ...bugsIn('share', 'activities/share/claim/claim-record.ts', 'test/activities/share/claim/adopt.test.ts', [
    ['a claim of an earlier build is nobody’s', "seals.check('claim', label, file);", 'throw error;'],
  ]),
  ...bugsIn(
    'share',
    'activities/share/batch/noted-records.ts',
    'test/activities/share/batch/noted-records.test.ts',
    [
      [
        'a clock that is set back makes an upload from before the present one',
        'Math.max(nowMs, (this.#newestMs.get(batchId) ?? 0) + 1)',
        'nowMs',
      ],
    ],
    'set back',
  ),
  ...bugsIn(
    'share',
    'activities/share/open-notes.ts',
    'test/activities/share/batch/noted-records.test.ts',
    [
      [
        'a worker that was started again does not know when the batch was last noted',
        'if (!this.#noted.knowsTime(batchId)) {',
        'if (false) {',
      ],
    ],
    'reads nothing',
  ),
  ...bugsIn('share', 'activities/share/claim/open-batches.ts', 'test/activities/share/claim/adopt.test.ts', [
    [
      'a claim of an earlier build is taken from its claimer',
      'const claim = await lookIfThere(paths.fs, paths.claim);',
      'const claim = await lookIfThere(paths.fs, paths.folder);',
    ],
    [
      'what another host took up is taken from it by whoever gave it up',
      'claim === undefined && hasLeft',
      'hasLeft',
    ],
  ]),
  ...bugsIn('share', 'activities/share/claim/claim-files.ts', 'test/activities/share/gone-share.test.ts', [
    [
      'a folder that the share left under waits for minutes before its claim is in it',
      '    claimInto(batchId, owner);\n',
      '',
    ],
  ]),
  ...bugsIn('share', 'activities/share/claim/adopt-batch.ts', 'test/activities/share/gone-share.test.ts', [
    ['a claim that is taken up as the share goes waits for minutes', '  claimInto(batchId, owner);\n', ''],
  ]),
  ...bugsIn(
    'share',
    'activities/share/claim/open-batches.ts',
    'test/activities/share/claim/batch-origin.test.ts',
    [['what nobody can go on with stops the intake', 'return isProven && ', 'return ']],
  ),
  ...bugsIn(
    'share',
    'activities/share/batch/fold-journal.ts',
    'test/activities/share/batch/fold-journal.test.ts',
    [
      ['an intent is forgotten', 'upload.intended = true;', ''],
      [
        'two documents go on with one upload after its id had changed places',
        'owners.get(strongest.uploadId) !== strongest',
        'false',
      ],
      [
        'a newer upload is preferred to the one that was submitted',
        'rankOf(one) - rankOf(other) || byTime(one, other)',
        'byTime(one, other)',
      ],
      [
        'the oldest file is kept',
        'document.file.openedAtMs > file.openedAtMs',
        'document.file.openedAtMs < file.openedAtMs',
      ],
      ['a later outcome replaces a revision', 'if (known.revisionId !== null || !namesRevision) return;', ''],
      ['records are read in the order of the folder', '[...records].sort(byTime)', 'records'],
    ],
  ),
  ...bugsIn(
    'share',
    'activities/share/files/move-file.ts',
    'test/activities/share/receipt/settle-up.test.ts',
    [
      [
        'the second file of a name replaces the first',
        'if (!isOurs) continue;',
        'if (!isOurs) return place;',
      ],
    ],
  ),
  ...bugsIn('share', 'activities/share/claim/claim-copy.ts', 'test/activities/share/other-device.test.ts', [
    [
      'who takes up a claim removes its copy while a claimer that lives removes the original',
      'const isOurs = await ifThere(renameBeside(fs, held, back).then(() => true));',
      'await unlinkIfThere(fs, placeOf(paths.files, file));\n      const isOurs = await ifThere(renameBeside(fs, held, back).then(() => true));',
    ],
    [
      'a file is never found again where the answer to the rename of its claim is lost',
      'if (!isGone(error) || !(await isThere(fs, to))) throw error;',
      'throw error;',
    ],
    [
      'what is copied into a claim is taken for the file by its size and time',
      'opened.every(facts => isWanted(facts, entry))',
      'opened.length === 1',
    ],
    ['the copy of a file hides that it has another name', 'await countOtherNames(fs, held)', '0'],
  ]),
  ...bugsIn('share', 'activities/share/claim/claim-files.ts', 'test/activities/share/other-device.test.ts', [
    [
      'a claim that takes long is not shown to be at work',
      'letGo = keepClaimed(opened, owner);',
      'letGo = () => undefined;',
    ],
  ]),
  ...bugsIn('share', 'activities/share/files/move-file.ts', 'test/activities/share/files/move-file.test.ts', [
    [
      'a copy to another device is not durable before the original goes',
      '  await fs.syncFolder(folderAround(to));\n  await unlinkMoved',
      '  await unlinkMoved',
    ],
    [
      'a copy is put in place before it is whole',
      'await fs.copyNew(from, copy);\n    if (!(await putInPlace(copy))) {',
      'await fs.copyNew(from, to);\n    if (!(await putInPlace(copy))) {',
    ],
    [
      'a move replaces what has come in the place of its placeholder',
      'if (!(await isOwnPlaceholder(fs, from, to))) return false;\n    await fs.rename',
      'await fs.rename',
    ],
    [
      'a copy for the drop folder replaces what a person saved meanwhile',
      'return file === from ? await renameUnderLock(fs, file, to) : await nameInDrop(fs, file, to);',
      'if (file === from) return await renameUnderLock(fs, file, to);\n    await fs.rename(file, to);\n    return true;',
    ],
    [
      'a move takes the placeholder of another one',
      "const way = relative(shownAs(to.folder.path), shownAs(from)).replaceAll('\\\\', '/');",
      "const way = '';",
    ],
  ]),
  ...bugsIn(
    'share',
    'activities/registers/sheet/workbook-thread.ts',
    'test/activities/registers/sheet/read-workbook.test.ts',
    [
      [
        'a text that thousands of cells share leaves the thread thousands of times',
        '    textLeft -= text.length;\n',
        '',
      ],
      [
        'what merged cells are filled with has no limit',
        '      countFilled(Math.max(0, Math.min(toRow, rows.length - 1) - fromRow));\n',
        '',
      ],
    ],
  ),
  ...bugsIn(
    'share',
    'activities/share/receipt/receipt-csv.ts',
    'test/activities/share/receipt/receipt-csv.test.ts',
    [
      ['the times are those of UTC with a T', ".replace('T', ' ')", ''],
      [
        'the revision id is in the column of the upload',
        "['revision_id', file => file.revisionId ?? '']",
        "['revision_id', file => file.uploadId ?? '']",
      ],
      ['without its byte order mark the sheet reads é as Ã©', 'bom: true', 'bom: false'],
      [
        'of more files left than are named nobody is told',
        'if (more <= 0) return [];',
        'if (more > 0) return [];',
      ],
    ],
  ),
  ...bugsIn(
    'share',
    'activities/registers/write/safe-text.ts',
    [
      'test/activities/registers/write/safe-text.test.ts',
      'test/activities/share/receipt/receipt-csv.test.ts',
    ],
    [['a name is a formula in the spreadsheet', '[=+\\-@＝＋－＠]/g', '[+\\-@＝＋－＠]/g']],
  ),
  ...bugsIn(
    'share',
    'activities/registers/words/ignored-names.ts',
    'test/activities/share/drop/drop-names.test.ts',
    [['an unfinished download is claimed', "  '.crdownload',\n", '']],
  ),
  ...bugsIn('share', 'activities/share/drop/drop-names.ts', 'test/activities/share/drop/drop-names.test.ts', [
    ['a name may turn the direction of the text', '(point >= 0x202a && point <= 0x202e) || ', ''],
  ]),
  ...bugsIn(
    'share',
    'activities/share/files/relative-path.ts',
    'test/activities/share/files/relative-path.test.ts',
    [
      ['a path may lead out of the drop folder', "part !== '.' && part !== '..'", "part !== '.'"],
      [
        'a name of bytes is read as text',
        "text.includes('\\uFFFD') && !Buffer.from(text, 'utf8').equals(bytes)",
        'false',
      ],
    ],
  ),
  ...bugsIn('share', 'activities/share/files/seals.ts', 'test/activities/share/files/seals.test.ts', [
    [
      'a seal is not compared',
      'if (is.length === be.length && timingSafeEqual(is, be)) return;',
      'if (is.length === be.length) return;',
    ],
    [
      'a file without a seal passes',
      "if (file.sealedBy === '') throw",
      "if (file.sealedBy === 'none') throw",
    ],
    [
      'a record can stand for a receipt',
      'update(`drawbridge ${kind}\\n${text}`)',
      'update(`drawbridge\\n${text}`)',
    ],
  ]),
  ...bugsIn('share', 'activities/share/batch/hold.ts', 'test/activities/share/batch/temporals.test.ts', [
    [
      'what another Temporal holds is taken',
      'if (!(await isGone(hold.temporal.id))) {',
      'if (await isGone(hold.temporal.id)) {',
    ],
    [
      'a hold that was taken by mistake goes where links cannot be made',
      'await nameOnce(fs, aside, paths.hold);',
      'await fs.link(aside, paths.hold).catch(() => undefined);',
    ],
    [
      'a hold of our own is another one',
      'if (hold?.temporal.id === holder.temporal.id)',
      'if (hold?.temporal.id === holder.workflowId)',
    ],
  ]),
  ...bugsIn(
    'share',
    'activities/share/files/share-fs.ts',
    'test/activities/share/durability.test.ts',
    [
      [
        'a pipe in the place of a folder is waited for',
        'constants.O_RDONLY | (constants.O_DIRECTORY ?? 0)',
        'constants.O_RDONLY',
      ],
    ],
    'a pipe that somebody puts',
  ),
  ...bugsIn('share', 'activities/share/files/write-whole.ts', 'test/activities/share/durability.test.ts', [
    [
      'a file written once is not synced by its folder',
      'if (isNamed) await fs.syncFolder(folderAround(path));',
      '',
    ],
  ]),
  ...bugsIn(
    'share',
    'activities/share/receipt/settle-up.ts',
    'test/activities/share/receipt/settle-up.test.ts',
    [
      [
        'the folder of a batch comes into being again while another process puts it away',
        'await folders.getIfThere(parentOf(from))',
        'await folders.get(parentOf(from))',
      ],
    ],
    'is done once',
  ),
  ...bugsIn(
    'share',
    'activities/share/files/folder-lock.ts',
    'test/activities/share/files/folder-lock.test.ts',
    [
      [
        'a lock is broken after a few seconds, whoever holds it',
        'const PATIENCE_MS = 120_000;',
        'const PATIENCE_MS = 5_000;',
      ],
      [
        'a holder does not look whether the lock is its own still',
        '(await markOf(fs, lock)) === mark && systemClock.monotonicMs()',
        'systemClock.monotonicMs()',
      ],
      [
        'locks that come and go are taken for one that stands for long',
        'if (mark !== other?.mark) other',
        'if (other === undefined) other',
      ],
      [
        'a new lock is taken away as if it were the old one',
        'if ((await markOf(fs, aside)) !== mark) {',
        'if (Math.random() > 1) {',
      ],
    ],
  ),
  ...bugsIn(
    'share',
    'activities/share/claim/keep-mistaken.ts',
    'test/activities/share/claim/swapped-folders.test.ts',
    [
      [
        'what a link led a claim to goes into the drop folder',
        '  if (fs.holdsFolders) return true;',
        '  if (fs.holdsFolders || facts.links > 0) return true;',
      ],
      [
        'what came from elsewhere is taken for the file that was seen, by size and time alone',
        "wanted.identity !== '' && wanted.identity === facts.identity",
        "(wanted.identity === '' || wanted.identity === facts.identity)",
      ],
    ],
  ),
  ...bugsIn('share', 'activities/share/files/write-whole.ts', 'test/client/session/write-output.test.ts', [
    [
      'each try on a full disk leaves a part of a file',
      '  try {\n    await fs.writeNew(temporary, text);\n    await requireInPlace(path);\n    return await nameOnce(',
      '  await fs.writeNew(temporary, text);\n  try {\n    await requireInPlace(path);\n    return await nameOnce(',
    ],
  ]),
  ...bugsIn(
    'share',
    'activities/share/files/share-fs.ts',
    'test/activities/share/claim/claim.test.ts',
    [["a batch's folder is open to everybody", 'mode: how?.private ? 0o700 : 0o777', 'mode: 0o777']],
    'lets nobody else in',
  ),
  ...bugsIn('share', 'activities/share/claim/claim-files.ts', 'test/activities/share/claim/claim.test.ts', [
    [
      "a batch's folder is made like any other",
      'makeFolder(paths.folder, { private: true })',
      'makeFolder(paths.folder)',
    ],
    [
      'a batch takes 99 files',
      'request.wanted) > MAX_BATCH_DOCUMENTS',
      'request.wanted) >= MAX_BATCH_DOCUMENTS',
    ],
    [
      'nothing tells a shortcut from a file',
      "if (facts.kind === 'symlink') return 'shortcut';",
      "if (facts.kind === 'symlink') return undefined;",
    ],
  ]),
  ...bugsIn(
    'share',
    'activities/share/claim/claim-files.ts',
    'test/activities/share/claim/swapped-folders.test.ts',
    [['what a claim is going to take is not noted', '    await writeWanted(opened, entries, job);\n', '']],
  ),
  ...bugsIn(
    'share',
    'activities/share/claim/describe-files.ts',
    'test/activities/share/claim/claim.test.ts',
    [
      [
        'a file that changed while it was hashed is sealed',
        'return isSame(file, now) && hashed.sizeBytes === now.sizeBytes ? hashed : undefined;',
        'return hashed.sizeBytes === now.sizeBytes ? hashed : undefined;',
      ],
    ],
  ),
  ...bugsIn(
    'share',
    'activities/share/claim/give-back.ts',
    'test/activities/share/claim/give-back.test.ts',
    [
      [
        'a claimer that was taken over gives back what its successor has sealed',
        'if (!isOwn) {',
        'if (!isOwn && owner.claimId === "") {',
      ],
    ],
    'stalled',
  ),
  ...bugsIn(
    'share',
    'activities/share/jobs/uploads/upload-room.ts',
    'test/activities/share/jobs/uploads/upload-room.test.ts',
    [
      [
        'what was sent under a former key is removed after a day',
        'if (upload === undefined && record !== undefined) continue;',
        '',
      ],
    ],
    'former key',
  ),
  ...bugsIn('share', 'activities/share/claim/hash-claim.ts', 'test/activities/share/durability.test.ts', [
    [
      'the folders of a claim are not synced',
      '    await syncFolders(layout.fs, layout.batches, [batch.paths.files, ...folders]);\n',
      '',
    ],
  ]),
  ...bugsIn('share', 'activities/share/claim/hash-claim.ts', 'test/activities/share/files/seals.test.ts', [
    [
      'a manifest is written without its seal',
      'const sealed = await sealManifest(batch.paths, manifest);',
      'const sealed = await sealManifest({ ...batch.paths, seals: { ...batch.paths.seals, keyId: "", of: () => "" } as never }, manifest);',
    ],
  ]),
  ...bugsIn('share', 'activities/share/receipt/settle-up.ts', 'test/activities/share/durability.test.ts', [
    [
      'files are moved before the receipt is there',
      '  const csv = toCsv(receipt, { delimiter: layout.delimiter });\n  const json =',
      '  await moveFiles(layout, batch, receipt);\n  const csv = toCsv(receipt, { delimiter: layout.delimiter });\n  const json =',
    ],
    ['moved files are not synced', '    await syncFolders(fs, layout.root, targets.values());\n', ''],
    ['a finished batch is not synced', '    await syncFolders(fs, layout.root, [dirname(finished)]);\n', ''],
  ]),
  ...bugsIn(
    'share',
    'activities/share/receipt/settle-up.ts',
    'test/activities/share/receipt/settle-up.test.ts',
    [
      [
        'what was set apart lies in done/',
        "return outcome === 'set-apart' ? layout.attention",
        "return outcome === 'set-apart' ? layout.done",
      ],
      [
        'outcomes of before are forgotten at the end',
        'const all = [...keptOutcomes(earlier), ...outcomes];',
        'const all = [...outcomes];',
      ],
      [
        'what stands in the way of one document ends the settling of all',
        'blocked.push({ path, why: messageOf(error) });',
        'throw error;',
      ],
      [
        'what cannot be moved goes back to the drop folder with the strays',
        'if (blocked !== undefined) {',
        'if (blocked !== undefined && blocked.path === "") {',
      ],
      [
        'files that came meanwhile are put away with the batch',
        '  const strays = await returnStrays(layout, batch);',
        '  const strays: string[] = [];',
      ],
    ],
  ),
  ...bugsIn('share', 'activities/share/batch/kept-receipt.ts', 'test/activities/share/files/seals.test.ts', [
    [
      'a receipt of another batch is believed',
      'if (receipt.batchId !== batchId)\n',
      "if (receipt.batchId === '')\n",
    ],
  ]),
  ...bugsIn(
    'share',
    'activities/share/revision-order/revision-queue.ts',
    'test/activities/share/revision-order/revision-queue.test.ts',
    [
      [
        'a later revision passes the earlier one',
        '.filter(({ document }) => isAsked(document) && !isLetGo(document))',
        '.filter(({ document }) => isAsked(document) && isLetGo(document))',
      ],
      ['one that was let go waits again', 'past.get(batchId)?.(document.index).isIntended === true', 'false'],
    ],
    '^(?!.*every batch ends)',
  ),
  ...bugsIn(
    'share',
    'activities/share/revision-order/queue-reader.ts',
    'test/activities/share/revision-order/revision-queue.test.ts',
    [
      ['a batch of another project is an error', "  'project-differs',\n];", '];'],
      [
        'a batch that is gone is waited for',
        'if (!(await isThere(layout.fs, paths.folder))) return ALL_ENDED;',
        '',
      ],
      ['a refused file holds up others', 'refused === undefined\n', 'refused !== null\n'],
    ],
    '^(?!.*every batch ends)',
  ),
  ...bugsIn(
    'share',
    'activities/share/receipt/set-apart.ts',
    'test/activities/share/receipt/set-apart.test.ts',
    [
      [
        'the later ones of a path are not looked for once the first was taken up',
        '(rows.length === 1 && facts === undefined)',
        'facts === undefined',
      ],
      [
        'a file is put over one of the same name in drop/',
        "if (await isThere(fs, to)) return { kind: 'name-taken' };",
        '',
      ],
      [
        'a file of a job is called gone where the manifest is spoilt',
        'manifest ?? receipt ?? {}',
        'manifest ?? {}',
      ],
      [
        'a file that came with a register goes back without its row',
        "if (withRow !== undefined) return { kind: 'needs-row', withRow };",
        '',
      ],
      [
        'what was skipped or is held is offered to be put back',
        "if (outcome !== 'set-apart' || reason === undefined",
        'if (reason === undefined',
      ],
      [
        'a placeholder of ours is sent as a document',
        '(hasSizeOf(rows, facts) || !(await isAnyPlaceholder(fs, place, facts)))',
        'true',
      ],
      [
        'a document is listed twice beside one that is called like a later one of its path',
        '(turn === 1 || !isOfAnother(facts, rows, all.get(keyOf(place))))',
        'true',
      ],
    ],
  ),
  ...bugsIn(
    'share',
    'activities/share/receipt/set-apart.ts',
    'test/activities/share/claim/swapped-folders.test.ts',
    [
      [
        'a folder swapped for a link is followed',
        "{ kind: 'gone' };\n    try",
        "{ kind: 'gone' };\n    await source.close();\n    try",
      ],
    ],
  ),
  ...bugsIn('share', 'activities/share/resolve-layout.ts', 'test/activities/share/gone-share.test.ts', [
    [
      'a folder that came into the place of the share is made one',
      "if (identity !== undefined && (await fs.look(new Place(held, '.'))).identity !== identity)",
      'if (false)',
    ],
  ]),
  ...bugsIn('share', 'activities/share/claim/folder-checks.ts', 'test/activities/share/gone-share.test.ts', [
    [
      'a claim makes a share of the folder under its mount point',
      'layout.fs.openFolder(layout.own, folder, { make: true })',
      'layout.fs.openFolder(layout.root, folder, { make: true })',
    ],
  ]),
  ...bugsIn('share', 'activities/share/resolve-layout.ts', 'test/activities/share/open-share.test.ts', [
    [
      'a folder that others may write to is used',
      'keeps.modes && (mode & 0o077) !== 0',
      'keeps.modes && (mode & 0o077) === 0o777',
    ],
  ]),
  ...bugsIn(
    'share',
    'activities/share/batch/read-batch.ts',
    'test/activities/share/receipt/settle-up.test.ts',
    [
      [
        'a settled batch is looked for among the open ones alone',
        'if (!(await isMissing(layout.fs, finished.folder, layout.finished))) return finished;',
        'if (false) return finished;',
      ],
    ],
  ),
  ...bugsIn('share', 'activities/share/drop/scan-drop.ts', 'test/activities/share/share.test.ts', [
    [
      'links in the drop folder are followed',
      'else waiting.push({ ...found,',
      'else if (folder.depth > 0) waiting.push({ ...found,',
    ],
  ]),
  ...bugsIn(
    'share',
    'activities/share/drop/scan-drop.ts',
    'test/activities/share/claim/swapped-folders.test.ts',
    [
      [
        'what a link leads to counts as seen in the drop folder where folders cannot be held',
        'fs.holdsFolders ? await lookIfThere(fs, path) : await lookInside(fs, drop, path)',
        'await lookIfThere(fs, path)',
      ],
    ],
    'cannot be held, what a link',
  ),
  ...bugsIn(
    'share',
    'activities/share/jobs/job-book.ts',
    'test/activities/share/jobs/kept-register.test.ts',
    [
      [
        'files with a register of their own go by that of the job before',
        'if (register !== undefined) return !isSame(register.path);',
        'if (register !== undefined) return false;',
      ],
    ],
  ),
  ...bugsIn('share', 'activities/share/jobs/job-book.ts', 'test/activities/share/jobs/job-book.test.ts', [
    [
      'a folder whose record cannot be opened becomes a second job',
      'if (unreadable.size === 0) return;',
      'if (unreadable.size <= 1) return;',
    ],
    ['a process stands still while the places of many folders are looked for', 'await setImmediate();', ''],
  ]),
  ...bugsIn('share', 'activities/share/part-by-jobs.ts', 'test/activities/ingest/claim-on-demand.test.ts', [
    [
      'files asked for by hand go without their job while its record cannot be opened',
      "share.findOpenFolders(tops.filter(top => top !== ''))",
      'share.findOpenFolders([])',
    ],
  ]),
  ...bugsIn('share', 'activities/share/open-share.ts', 'test/activities/ingest/claim-on-demand.test.ts', [
    [
      'the places of jobs are looked for by another clock than they were named by',
      'findOpenFolders(mount.layout, folders, now(), warnings.notOurs)',
      'findOpenFolders(mount.layout, folders, new Date(), warnings.notOurs)',
    ],
  ]),
  ...bugsIn(
    'share',
    'activities/share/register/match-part.ts',
    'test/activities/share/jobs/kept-register.test.ts',
    [['two files of two batches have one row', 'free.filter(({ number }) => !taken.has(number)),', 'free,']],
  ),
  ...bugsIn(
    'share',
    'activities/share/register/look-in-drop.ts',
    'test/activities/share/register/look-in-drop.test.ts',
    [
      [
        'a superseded file goes as the one that its row means, which comes a little later',
        "...doubtful.map(({ file, path }) => ({ kind: 'doubtful' as const, file, path })),",
        '',
      ],
      [
        'a register that is open elsewhere counts as none, and its files are not waited for',
        "if (passingOf(found) !== undefined) return 'busy';",
        '',
      ],
    ],
  ),
  ...bugsIn(
    'share',
    'activities/share/receipt/settle-job.ts',
    'test/activities/share/jobs/kept-register.test.ts',
    [
      [
        'the register of a job is not given back',
        '    await moveRegister(layout, paths.register, record.register, base);\n',
        '',
      ],
    ],
  ),
  ...bugsIn(
    'share',
    'activities/share/receipt/held/answer-rows.ts',
    'test/activities/share/receipt/held/answer-rows.test.ts',
    [
      [
        'an answer is larger than Temporal takes',
        'const MOST_BYTES = 1024 ** 2;',
        'const MOST_BYTES = 1024 ** 4;',
      ],
      [
        'a row of a saved sheet answers whatever its document is held for by then',
        'if (!isStillAsked(row, at, held))',
        'if (held === undefined)',
      ],
      [
        'a run that comes to ask something else takes the answer that is on its way',
        'asked: meant,',
        'asked: undefined,',
      ],
    ],
  ),
  ...bugsIn(
    'share',
    'activities/share/receipt/held/held-sheets.ts',
    'test/activities/share/receipt/held/held-sheets.test.ts',
    [
      [
        'rows that were answered go again with those of a batch that could not be asked',
        'rows: rows.filter(isDue)',
        'rows',
      ],
    ],
    'while another one of the sheet cannot be asked',
  ),
  ...bugsIn(
    'share',
    'activities/share/receipt/held/decide-rows.ts',
    'test/activities/share/receipt/held/held-sheets.test.ts',
    [
      [
        'the word for the doubt that a sheet shows goes to one that came since',
        'isOther ? shown : reason',
        'reason',
      ],
    ],
    'is no word for one that came since',
  ),
  ...bugsIn(
    'share',
    'activities/share/receipt/held/corrected-before.ts',
    'test/activities/share/receipt/held/held-sheets.test.ts',
    [
      [
        'an old copy says its word to what is asked since',
        'steps: [...steps, { said, shows, isUnasked: true }]',
        'steps',
      ],
    ],
    'in the new sheet alone',
  ),
  ...bugsIn(
    'share',
    'activities/share/receipt/held/sheet-room.ts',
    'test/activities/share/receipt/held/sheet-room.test.ts',
    [['a job has any number of corrected sheets', 'earlier.length >= MOST_RECORDS', 'false']],
  ),
  ...bugsIn(
    'share',
    'activities/registers/sheet/row-limits.ts',
    'test/activities/registers/corrections/read-corrections.test.ts',
    [['a row of any length is taken', '<= MOST_ROW_BYTES', '<= Number.POSITIVE_INFINITY']],
  ),
  ...bugsIn(
    'share',
    'activities/share/register/project-words.ts',
    'test/activities/share/register/project-words.test.ts',
    [
      [
        'labels of another project are believed',
        'return isSameProject(kept.project, project) ? kept.fields : undefined;',
        'return kept.fields;',
      ],
      ['the labels are not kept on the share', 'await this.#keep(asked);\n', ''],
      [
        'a batch waits for the labels as long as the service is away',
        'Promise.race([asking, late])',
        'asking',
        { hangs: 'What waits for a service that never answers waits for ever.' },
      ],
      [
        'a service that is away is asked for the labels each time',
        'this.#restUntilMs = clock.monotonicMs() + REST_MS;',
        '',
      ],
    ],
  ),
  ...bugsIn(
    'share',
    'activities/share/drop/document-words.ts',
    'test/activities/ledger/to-candidate.test.ts',
    [
      ['a label of the project is no word for its field', 'findField(this.#fields, given)?.name', 'given'],
      ['of several values of a field the first counts', '.findLast(', '.find('],
    ],
  ),
];

// Bugs of the decisions and the order of the work.
import { type Bug, bugsIn } from '../bug';

export const WORKFLOW_BUGS: readonly Bug[] = [
  ...bugsIn('workflows', 'workflows/ingest/ingest-batch.ts', 'test/workflows/ingest/left-over.test.ts', [
    [
      'a document without an outcome is in no receipt',
      '  await processLeftOver(batch);\n  const summary',
      '  const summary',
    ],
    [
      'what a stage left without an outcome is not carried again',
      'if (round < MOST_LEFT_ROUNDS) await',
      'if (round >= MOST_LEFT_ROUNDS) await',
    ],
  ]),
  ...bugsIn(
    'workflows',
    'workflows/rate/decide/rate-leases.ts',
    'test/workflows/rate/decide/rate-leases.test.ts',
    [
      [
        'the limit by the hour is taken for that of the shortest window when it is told twice',
        'if (isLonger && keepsWindow) return state;\n',
        '\n',
      ],
    ],
  ),
  ...bugsIn(
    'workflows',
    'workflows/ingest/decide/keep-analysis.ts',
    'test/workflows/ingest/decide/keep-analysis.test.ts',
    [
      [
        'a value that somebody changed in the service is said to be what the analysis found',
        "(now.from !== 'service' || now.value !== value)",
        "now.from !== 'service'",
      ],
      [
        'an analysis that did not end in time is said to have ended',
        "(analysisFailed ? 'failed' : undefined) : 'late'",
        "(analysisFailed ? 'failed' : undefined) : undefined",
      ],
    ],
  ),
  ...bugsIn(
    'workflows',
    'workflows/ingest/decide/cross-check.ts',
    'test/workflows/ingest/decide/cross-check.test.ts',
    [
      [
        'an id in both lists counts as a success',
        'if (failure !== undefined) result.failed',
        'if (failure !== undefined && !succeeded.has(idOf(item))) result.failed',
      ],
      [
        'what nobody named counts as done',
        'else result.missing.push(item);',
        'else result.succeeded.push(item);',
      ],
      [
        'answers about uploads that nobody asked for are not told',
        'filter(id => !askedIds.has(id))',
        'filter(id => askedIds.has(id))',
      ],
    ],
  ),
  ...bugsIn('workflows', 'workflows/ingest/stages/put-right.ts', 'test/workflows/ingest/put-right.test.ts', [
    [
      'an upload is taken from a file that has its own',
      '(uploads.has(other) || (!isWhole && other.completed))',
      '(uploads.has(other) || other.completed)',
    ],
    [
      'owners are not looked at',
      'owner.completed && !seen.has(owner)',
      '!owner.completed && !seen.has(owner)',
    ],
  ]),
  ...bugsIn(
    'workflows',
    'activities/ingest/decide/assess-upload.ts',
    'test/activities/ingest/decide/assess-upload.test.ts',
    [
      [
        'an analysis that still runs is taken for finished',
        'hasEnded(ml) && hasEnded(filenameScraping)',
        'hasEnded(ml) || hasEnded(filenameScraping)',
      ],
      ["a status that nobody knows is an analysis's end", 'ENDS.has(status)', "status !== 'in_progress'"],
      [
        'a default is written over what a person gave',
        'if (isUseful && !hasValue(view.values, write.fieldId))',
        'if (isUseful)',
      ],
      [
        'the name stays among what is missing',
        'missing: missing.filter(({ id }) => id !== nameId),',
        'missing,',
      ],
      [
        'defaults that were filled in do not count for the requirement',
        'for (const write of fill.values()) values.set(write.fieldId, write.values);',
        '',
      ],
    ],
  ),
  ...bugsIn(
    'workflows',
    'activities/ingest/decide/choose-requirement.ts',
    'test/activities/ingest/decide/choose-requirement.test.ts',
    [
      [
        'the least specific requirement is chosen',
        'const most = Math.max(0, ...matching',
        'const most = Math.min(0, ...matching',
      ],
      [
        'one qualifier that fits is enough',
        'requirement.qualifiers.every(qualifier => isMet',
        'requirement.qualifiers.some(qualifier => isMet',
      ],
      ['fields that nobody may set are required', 'if (settable.has(field.id)) required.set', 'required.set'],
      [
        'blanks count as a value',
        ".some(value => value.trim() !== '');\n}",
        ".some(value => value !== '');\n}",
      ],
    ],
  ),
  ...bugsIn(
    'workflows',
    'workflows/change-orders/change-order-check.ts',
    'test/workflows/change-orders/change-order.test.ts',
    [
      [
        'a part that is wanted and void is called done',
        "view.status === 'void' &&",
        "view.status === 'none' &&",
      ],
    ],
    'voided and is wanted again',
  ),
  ...bugsIn(
    'workflows',
    'workflows/change-orders/change-order-parts.ts',
    'test/workflows/change-orders/change-order.test.ts',
    [
      [
        'in one tier a status is demanded that the service ignores',
        'input.tiers === 1 &&',
        'input.tiers > 3 &&',
      ],
    ],
    'the status is the package',
  ),
  ...bugsIn(
    'workflows',
    'activities/change-orders/decide/compare-change-order.ts',
    'test/activities/change-orders/decide/compare-change-order.test.ts',
    [
      ['the time of day of a due date makes it another one', 'have.slice(0, 10) === want', 'have === want'],
      [
        'amounts are compared as text',
        "compare('grandTotal', shown.grandTotal, isSameToTheCent)",
        "compare('grandTotal', shown.grandTotal, isSameText)",
      ],
    ],
  ),
  ...bugsIn(
    'workflows',
    'activities/change-orders/change-orders.ts',
    'test/activities/change-orders/change-orders.test.ts',
    [
      [
        'what came along with a found package, and was listed before it, is made again',
        'come.length === 0 && mayBeOlder',
        'come.length > 99 && mayBeOlder',
      ],
      [
        'what came along with a package and is listed late is made again',
        'if (mayCome) lookAgainWhereEarly',
        'if (mayCome && unshown.length > 99) lookAgainWhereEarly',
      ],
      [
        'somebody else’s is taken where what came along a moment ago is listed late',
        'if (mayBeOlder) await making',
        'if (mayBeOlder && unshown.length > 99) await making',
      ],
      [
        'an older one is taken where nobody knows whether the package is as old',
        '(come.length === 1 || isOfBefore)',
        '(come.length === 1 || mayBeOlder)',
      ],
      ['a package whose answer was lost counts as one of a run before', "if (isSent) return 'yes';", ''],
      [
        'a package of a run before whose correction had no answer counts as one of this run',
        'making.look(() => correct(client, input, known, scope))',
        'correct(client, input, known, scope)',
      ],
    ],
  ),
  ...bugsIn(
    'workflows',
    'workflows/revision-order/decide/compare-revisions.ts',
    'test/workflows/revision-order/decide/compare-revisions.test.ts',
    [
      [
        'letters before digits of a stage: P after C',
        'const STAGES: Readonly<Record<string, number>> = { P: 0, C: 1 };',
        'const STAGES: Readonly<Record<string, number>> = { P: 1, C: 0 };',
      ],
      [
        '10 comes before 9',
        "return text.split('.').map(Number);",
        "return [Number(`0.${text.replaceAll('.', '')}`)];",
      ],
      ['AA comes before B', 'sum * 26 + letter', 'sum + letter'],
      [
        '1.0 and 1 are one revision',
        '(one.parts[at] ?? -1) - (other.parts[at] ?? -1)',
        '(one.parts[at] ?? 0) - (other.parts[at] ?? 0)',
      ],
    ],
  ),
  ...bugsIn(
    'workflows',
    'activities/timesheets/decide/count-hours.ts',
    'test/activities/timesheets/decide/count-hours.test.ts',
    [
      ['a break is subtracted in seconds', 'span.seconds - lunchMinutes * 60', 'span.seconds - lunchMinutes'],
      ['a night shift has a day too little', 'end - start + DAY_SECONDS', 'end - start'],
    ],
  ),
  ...bugsIn(
    'workflows',
    'workflows/timesheets/decide/clock-times.ts',
    'test/workflows/timesheets/decide/clock-times.test.ts',
    [
      [
        'an offset is added instead of subtracted',
        'Number(match[4] ?? 0) - offset',
        'Number(match[4] ?? 0) + offset',
      ],
      [
        '30 February is a day',
        "if (Number.isNaN(day) || !new Date(day).toISOString().startsWith(match[1] ?? '')) return undefined;",
        'if (Number.isNaN(day)) return undefined;',
      ],
    ],
  ),
  ...bugsIn(
    'workflows',
    'workflows/ingest/decide/cut-chunks.ts',
    'test/workflows/ingest/decide/cut-chunks.test.ts',
    [
      ['a chunk has one file too many', 'last.length >= maxItems', 'last.length > maxItems'],
      ['the size of a chunk is never looked at', '|| bytes + item.sizeBytes > CHUNK_BYTES', ''],
      [
        'the larger half comes second',
        'Math.ceil(items.length / 2)',
        'Math.floor(items.length / 2)',
        { harmless: "Which half has one more is nobody's matter; one alone is never halved." },
      ],
    ],
  ),
  ...bugsIn(
    'workflows',
    'workflows/run/decide/escape-markdown.ts',
    'test/workflows/run/decide/escape-markdown.test.ts',
    [
      ['a name can write links into the UI', '/[\\\\`*_{}[\\]<>|#~&]/g', '/[\\\\`*_{}<>|#~&]/g'],
      ['a name can turn the direction of the text', '\\u202a-\\u202e\\u2066-\\u2069', '\\u2066-\\u2069'],
      [
        'a cut text is one longer than it may be',
        'plain.slice(0, mostUnits - 1)',
        'plain.slice(0, mostUnits)',
      ],
    ],
  ),
  ...bugsIn(
    'workflows',
    'workflows/change-orders/decide/exact-money.ts',
    'test/workflows/change-orders/decide/exact-money.test.ts',
    [
      ['cents are lost in a product', 'places: a.places + b.places', 'places: Math.max(a.places, b.places)'],
      [
        'amounts a cent apart are the same',
        ') < 10n ** BigInt(places - 2)',
        ') <= 10n ** BigInt(places - 2)',
      ],
      ['a minus is dropped', 'return units < 0n ? `-${text}` : text;', 'return text;'],
    ],
  ),
  ...bugsIn(
    'workflows',
    'activities/ingest/decide/judge-pairing.ts',
    'test/activities/ingest/decide/judge-pairing.test.ts',
    [
      ['a name in another composition is another name', "return name.normalize('NFC');", 'return name;'],
      [
        'a file of another type is taken for the own one',
        'const others = isType(own, evidence.mediaType)\n',
        'const others = !isType(own, evidence.mediaType)\n',
      ],
      [
        'the name of another number is found in ours',
        'if (!isBegun && !goesOn) return true;',
        'return true;',
      ],
      [
        'of two files that fit, ours is believed',
        "return fitting.length === 1 ? { kind: 'own', by: 'stem' } : undefined;",
        "return { kind: 'own', by: 'stem' };",
      ],
    ],
  ),
  ...bugsIn(
    'workflows',
    'workflows/ingest/decide/judge-refusal.ts',
    'test/workflows/ingest/decide/judge-refusal.test.ts',
    [
      [
        'a changed document is set apart instead of read again',
        "CONCURRENCY_CONFLICT: {\n    verdict: 'read-again',",
        "CONCURRENCY_CONFLICT: {\n    verdict: 'set-apart',",
      ],
      [
        'a lost file is not sent again',
        "FILE_KEY_MISMATCH: {\n    verdict: 'send-file-again',",
        "FILE_KEY_MISMATCH: {\n    verdict: 'read-again',",
      ],
      [
        'an upload said to be gone is given up',
        "UPLOAD_NOT_FOUND: {\n    verdict: 'look',",
        "UPLOAD_NOT_FOUND: {\n    verdict: 'set-apart',",
      ],
      [
        'a failure without a reason is believed to have had no effect',
        'return meaning === undefined || meaning.mayHaveTakenEffect === true;',
        'return meaning === undefined;',
      ],
      [
        'a workflow that may not be ended is ended again and again',
        "WORKFLOW_CONFLICT_INSUFFICIENT_PERMISSION: {\n    verdict: 'conflict-for-a-person',",
        "WORKFLOW_CONFLICT_INSUFFICIENT_PERMISSION: {\n    verdict: 'conflict',",
      ],
    ],
  ),
  ...bugsIn(
    'workflows',
    'activities/ingest/decide/judge-release.ts',
    'test/activities/ingest/decide/judge-release.test.ts',
    [
      ['an expired file is waited for', '>= at.linkWithinMs', '< at.linkWithinMs'],
      [
        'a slow scanner is blamed on the file',
        'return isLate && (file.isPassed || at.releasedMs > file.heardAtMs)',
        'return isLate',
      ],
    ],
  ),
  ...bugsIn(
    'workflows',
    'activities/share/drop/name-of-file.ts',
    'test/activities/ingest/decide/name-document.test.ts',
    [['the extension stays in the stem', "return stem !== '' && isExtension ? stem : name;", 'return name;']],
  ),
  ...bugsIn(
    'workflows',
    'activities/ingest/decide/name-document.ts',
    'test/activities/ingest/decide/name-document.test.ts',
    [['a name that a person gave is written over', "if (shown.nameSource === 'MANUAL' || name", 'if (name']],
  ),
  ...bugsIn(
    'workflows',
    'activities/share/revision-order/document-keys.ts',
    'test/workflows/revision-order/decide/order-revisions.test.ts',
    [
      [
        'files of other types are revisions of one another',
        '    `name ${foldName(name)}|${type}`,',
        '    `name ${foldName(name)}`,',
      ],
    ],
  ),
  ...bugsIn(
    'workflows',
    'workflows/revision-order/decide/order-revisions.ts',
    'test/workflows/revision-order/decide/order-revisions.test.ts',
    [
      [
        'a later revision goes first',
        'return compareParsed(first, second) || byTime(one, other);',
        'return compareParsed(second, first) || byTime(one, other);',
      ],
      [
        'what was claimed later goes first',
        'compare(one.claimedAt, other.claimedAt) ||',
        'compare(other.claimedAt, one.claimedAt) ||',
      ],
      [
        'a mistaken pattern makes one line of everything',
        'count > MOST_OF_A_NUMBER',
        'count > 10 * MOST_OF_A_NUMBER',
      ],
    ],
  ),
  ...bugsIn(
    'workflows',
    'workflows/ingest/decide/pair-revisions.ts',
    'test/workflows/ingest/decide/pair-revisions.test.ts',
    [
      [
        'ids are handed out though their number is another',
        'revisionIds.length !== accepted.length',
        'revisionIds.length < accepted.length',
      ],
      ['a pairing by order is called certain', "accepted.length === 1 ? 'certain' : 'by-order'", "'certain'"],
    ],
  ),
  ...bugsIn(
    'workflows',
    'activities/timesheets/pair-timecards.ts',
    'test/activities/timesheets/pair-timecards.test.ts',
    [
      [
        'what others entered is taken for left over',
        'isMarked(entry, prefix) && !taken',
        'entry.originData !== null && !taken',
      ],
      [
        'another cost code is the same work',
        'stored.billable &&\n    hasSameParts(entry, stored) &&',
        'stored.billable &&',
      ],
      [
        'one stored entry serves two rows',
        'entry.originData === null && !taken.has(entry.id) && isSameWork',
        'entry.originData === null && isSameWork',
      ],
      [
        'a row whose hours somebody entered otherwise by hand is entered beside them',
        'if (byHand === undefined) missing',
        'if (byHand !== null) missing',
      ],
      ['hours on another sheet of the day are entered again', ', ...elsewhere].filter', '].filter'],
      [
        'bare times and instants are compared by the hands of the clock',
        "!areInstants && given.some(time => time.includes('T'))",
        'false',
      ],
    ],
  ),
  ...bugsIn('workflows', 'activities/webhooks/webhooks.ts', 'test/activities/webhooks/webhooks.test.ts', [
    [
      'hooks of a run before that are listed late are made again, or stay',
      'if (input.made === undefined) await',
      'if (input.made === undefined && hooks.length > 99) await',
    ],
  ]),
  ...bugsIn('workflows', 'activities/users/users.ts', 'test/activities/webhooks/webhooks.test.ts', [
    [
      'a removal that a late list does not show is told as refused',
      'if (isNotThere(error)) return',
      'if (error === null) return',
    ],
    [
      'a refused addition is told as refused though the list had explained it',
      'if (added !== undefined) return added;',
      "if (added !== undefined) return added;\n    if (told !== undefined) return { kind: 'refused', reason: { code: 'add-refused', text: '', fix: '' } };",
    ],
    [
      'whom a late list does not show is told as outside, though we have added them',
      'await lookAtAdded(true, isInDoubt && previous !== undefined)',
      'await lookAtAdded(true, false)',
    ],
    [
      'whom a late list does not show is added at every look',
      "await lookAtAdded(told !== undefined, told === 'nobody')",
      'await lookAtAdded(told !== undefined, false)',
    ],
  ]),
  ...bugsIn(
    'workflows',
    'activities/timesheets/enter-timecards.ts',
    'test/activities/timesheets/enter-timecards.test.ts',
    [
      [
        'an entry by hand that is a row of another call puts a row in doubt',
        '[...input.rows, ...(input.beside ?? [])]',
        '[...input.rows]',
      ],
      [
        'entries of rows of other calls are asked for one by one',
        'ofParties.filter(({ index }) => own.has(index))',
        'ofParties',
      ],
      [
        'an entry that is shown late is told as missing',
        'if (unseen.length > 0)',
        'if (unseen.length > 500)',
      ],
    ],
  ),
  ...bugsIn(
    'workflows',
    'activities/service/endpoints/timecard-entries.ts',
    'test/activities/timesheets/pair-timecards.test.ts',
    [
      ['hours with more decimals are never the same', 'text === null ? null : toFourDecimals(text)', 'text'],
      ['an empty origin is another program', 'transform(text => text || null)', 'transform(text => text)'],
    ],
  ),
  ...bugsIn(
    'workflows',
    'workflows/change-orders/decide/plan-change-order.ts',
    'test/workflows/change-orders/decide/plan-change-order.test.ts',
    [
      ['a calculated line is worth its quantity', 'productOf(quantity, unitCost)', 'quantity'],
      ['a doubled line is not noticed', 'else if (found.length > 1)', 'else if (found.length > 2)'],
      [
        'lines of another order with the same beginning are left over',
        'startsWith(`${parent}/`)',
        'startsWith(parent)',
      ],
    ],
  ),
  ...bugsIn(
    'workflows',
    'workflows/ingest/decide/judge-plan.ts',
    'test/workflows/ingest/decide/judge-plan.test.ts',
    [['a value that cannot be written waits for a person', 'problems.length > 0', 'problems.length > 9']],
  ),
  ...bugsIn(
    'workflows',
    'activities/test-run/explain-requirement.ts',
    'test/activities/test-run/explain-requirement.test.ts',
    [['what another type would ask for is no reason to wait', '[now, ...all].every', '[now].every']],
  ),
  ...bugsIn(
    'workflows',
    'activities/ingest/decide/plan-document.ts',
    'test/activities/ingest/decide/plan-document.test.ts',
    [
      [
        'a workflow field is written like any other',
        'field === undefined || WORKFLOW_FIELD_NAMES.has(field.name)) {',
        'field === undefined) {',
      ],
      [
        'a default is written beside what was given',
        '!taken.has(fieldId) && fieldId !== nameId',
        'fieldId !== nameId',
      ],
    ],
  ),
  ...bugsIn(
    'workflows',
    'activities/timesheets/plan-timecards.ts',
    'test/activities/timesheets/plan-timecards.test.ts',
    [
      [
        'a row without a person is entered',
        'row.person === undefined && row.partyId === undefined',
        'row.person === undefined && row.partyId === null',
      ],
      [
        'the end of a night shift has the date of its beginning',
        'withDate(timeOut, input, counted.overMidnight)',
        'withDate(timeOut, input, false)',
      ],
      ['two equal rows have one name', 'seen.set(key, count);', ''],
    ],
  ),
  ...bugsIn(
    'workflows',
    'workflows/webhooks/decide/plan-webhooks.ts',
    'test/workflows/webhooks/decide/plan-webhooks.test.ts',
    [
      [
        'hooks of another version are kept',
        'hook.apiVersion === wish.apiVersion',
        'hook.apiVersion !== undefined',
      ],
      ['a hook with another address is left so', 'keep.destinationUrl !== wish.destinationUrl', 'false'],
      ['a trigger that is there twice stays', '!wanted.has(key) || there.has(key)', '!wanted.has(key)'],
    ],
  ),
  ...bugsIn(
    'workflows',
    'activities/ingest/decide/poll-schedule.ts',
    'test/activities/ingest/decide/poll-schedule.test.ts',
    [
      ['the analysis is waited for without end', 'return lookedMs >= times.forMs;', 'return lookedMs < 0;'],
      ['the last look comes right after the one before', 'leftMs >= pauseMs + leastMs', 'leftMs >= pauseMs'],
      ['what looks took makes the last pause shorter', 'Math.max(leastMs, isForTwo', 'Math.max(0, isForTwo'],
      [
        'what costs a request per upload is looked for as often as all at once',
        ' && requestsPerLook <= CHEAP_LOOK_REQUESTS;',
        ';',
      ],
      [
        'those that are finished never part from stragglers',
        'finished > 0 && unfinished > 0',
        'finished > 0 && unfinished > 1',
      ],
    ],
  ),
  ...bugsIn('workflows', 'activities/host/resolve-value.ts', 'test/activities/host/resolve-value.test.ts', [
    [
      'an inactive value is taken',
      'const active = [\n      ...new Map(found.filter(({ active }) => active)',
      'const active = [\n      ...new Map(found',
    ],
    [
      'of two that are meant the first is taken',
      'if (active.length === 1 && active[0] !== undefined)',
      'if (active[0] !== undefined)',
    ],
  ]),
  ...bugsIn(
    'workflows',
    'activities/ingest/decide/resolve-text.ts',
    'test/activities/ingest/decide/resolve-text.test.ts',
    [['1,000 is read as 1', 'if (MAYBE_THOUSANDS.test(text.trim())) {', 'if (false) {']],
  ),
  ...bugsIn(
    'workflows',
    'workflows/ingest/decide/tabulate-writes.ts',
    'test/workflows/ingest/decide/tabulate-writes.test.ts',
    [['a new field has the place of the next one', 'return positions.size - 1;', 'return positions.size;']],
  ),
  ...bugsIn(
    'workflows',
    'activities/users/resolve-member.ts',
    'test/activities/users/resolve-member.test.ts',
    [
      [
        'a person that nobody knows is added',
        "const isNewId = user.kind === 'unknown' && isId(question.user.trim());",
        "const isNewId = user.kind === 'unknown';",
      ],
    ],
  ),
  ...bugsIn(
    'workflows',
    'activities/observations/resolve-observation.ts',
    'test/activities/observations/resolve-observation.test.ts',
    [['an inactive type is taken', 'active: type.isActive,', 'active: true,']],
  ),
  ...bugsIn(
    'workflows',
    'workflows/observations/observation.ts',
    'test/workflows/observations/observation.test.ts',
    [
      [
        'an item is made a second time that a run before has made',
        "input.ifThere === 'stop';",
        "input.ifThere === 'make';",
      ],
      [
        'a comment to an item that others have closed is dropped',
        'inHand ?? inbox.next(); next',
        'inbox.next(); next',
      ],
      [
        'a run that goes on in place of a long one says that all files are there',
        '(missingFiles === undefined ? {} : { missingFiles }),\n      });',
        '{},\n      });',
      ],
      [
        'files for an item that is there are dropped',
        'continuedFromExecutionRunId === undefined',
        "continuedFromExecutionRunId === ''",
      ],
    ],
  ),
  ...bugsIn(
    'workflows',
    'workflows/observations/observation-inbox.ts',
    'test/workflows/observations/observation-inbox.test.ts',
    [
      ['the work is done, and its photo is never sent', 'return comment === undefined ?', 'return false ?'],
      ['files are asked for where no share is', 'if (!this.#hasShare) return', 'if (false) return'],
      ['what was left out is never heard', 'if (!isForgotten) this', 'if (requestId !== undefined) this'],
    ],
  ),
  ...bugsIn(
    'workflows',
    'activities/timesheets/approve-timesheets.ts',
    'test/activities/timesheets/approve-timesheets.test.ts',
    [['an answer has the entries of a hundred sheets', 'SHEETS_AT_ONCE = 10', 'SHEETS_AT_ONCE = 100']],
  ),
  ...bugsIn(
    'workflows',
    'activities/observations/missing-attachments.ts',
    'test/activities/observations/missing-attachments.test.ts',
    [
      [
        'a photo that has got another name is attached twice',
        'leftOver.length >= notFound.length',
        'leftOver.length > notFound.length',
      ],
      ['a photo from a Mac is attached twice', 'isSameText(name, path.split', 'Object.is(name, path.split'],
    ],
  ),
  ...bugsIn(
    'workflows',
    'activities/observations/observation-files.ts',
    'test/activities/observations/observation-files.test.ts',
    [
      [
        'a response whose end was tidied is made twice',
        'isSameText(log.comment, input.comment)',
        'log.comment === input.comment',
      ],
      [
        'an observation of another run is taken for ours',
        'asked === undefined || isInDoubt',
        'asked !== undefined || isInDoubt',
      ],
      [
        'whoever misses a photo is told to start again, which makes another item',
        '{ ...result.reason, fix: FIX_FILES }',
        'result.reason',
      ],
      ['photos that are shown late are attached twice', "making.waitUntilListed('attachments');", ''],
      [
        'photos that went with the item are attached again where they are shown late',
        'const isRepeated = seen !== undefined || ',
        'const isRepeated = ',
      ],
    ],
  ),
  ...bugsIn(
    'workflows',
    'activities/observations/observation-files.ts',
    'test/activities/observations/observations.test.ts',
    [
      [
        'an item that we have made has gone by one look',
        'making.waitUntilShown(`observation ${at.id}`);',
        '',
      ],
      [
        'whoever has lost the project is told that the item has gone',
        'await making.look(() => lookAtProject(client, at.project, scope));',
        '',
      ],
    ],
  ),
  ...bugsIn(
    'workflows',
    'activities/observations/observations.ts',
    'test/activities/observations/observations.test.ts',
    [['what is listed late as unsent is mailed twice', "making.waitUntilListed('that they were sent');", '']],
  ),
  ...bugsIn(
    'workflows',
    'activities/service/endpoints/observations.ts',
    'test/activities/observations/observation-files.test.ts',
    [
      [
        'a type that is named by its id alone is none',
        'wire.type?.id ?? wire.type_id',
        'wire.type?.id ?? null',
      ],
    ],
  ),
  // Of the stages: on a real server, with activities that are a fake.
  ...bugsIn(
    'workflows',
    'workflows/ingest/answers.ts',
    'test/workflows/ingest/answers.test.ts',
    [
      ['an answer is not written where a value stands', 'onlyEmpty: false,', 'onlyEmpty: true,'],
      [
        'an answer that was refused counts as written',
        'if (reason === undefined) keepAnswer(one);\n    else askAgain(',
        'keepAnswer(one);\n    if (reason === null) askAgain(',
      ],
    ],
    'exactly what was answered|a value that the service refuses',
  ),
  ...bugsIn(
    'workflows',
    'workflows/ingest/accept-answers.ts',
    'test/workflows/ingest/accept-answers.test.ts',
    [
      [
        'of two answers for one document the last one is used',
        'else if (before === undefined || before === said) saidOf',
        'else if (before !== null) saidOf',
      ],
      ['an answer that cannot work is used', 'if (refused.has(state)) continue;', ''],
      [
        'nobody is named who answered',
        'if (as !== undefined) state.note',
        'if (as === undefined) state.note',
      ],
    ],
    'what cannot be used',
  ),
  ...bugsIn(
    'workflows',
    'workflows/ingest/batch-state.ts',
    'test/workflows/ingest/ingest-batch.test.ts',
    [
      [
        'a batch goes on showing a cause that was repaired',
        'this.blocked = { reason, sinceMs: this.blocked?.sinceMs ?? sinceMs };',
        'this.blocked ??= { reason, sinceMs };',
      ],
    ],
    'another cause by now',
  ),
  ...bugsIn(
    'workflows',
    'workflows/ingest/stages/hold.ts',
    'test/workflows/ingest/accept-answers.test.ts',
    [
      [
        'a path is mistaken for the name of another file',
        'return exact.length > 0 ? exact : fitting;',
        'return fitting;',
      ],
      [
        'of several with the same name the first one gets the answer',
        "return patched('a-name-that-fits-several-is-refused') ? meant : [first];",
        'return [first];',
      ],
    ],
    'a name that fits several',
  ),
  ...bugsIn(
    'workflows',
    'workflows/ingest/stages/hold.ts',
    'test/workflows/ingest/stages/wait-out-conflicts.test.ts',
    [
      [
        'what is answered while another one is looked for is taken up unlooked',
        'return unlooked.length > 0 && ',
        'return unlooked.length < 0 && ',
      ],
    ],
    'answered while another one is looked for',
  ),
  ...bugsIn(
    'workflows',
    'workflows/ingest/stages/wait-out-conflicts.ts',
    'test/workflows/ingest/stages/wait-out-conflicts.test.ts',
    [
      [
        'a look that fails as it is cut ends the run',
        '(isCancellation(error) || isCutInFailing(error))',
        'isCancellation(error)',
      ],
    ],
    'cut while an attempt fails',
  ),
  ...bugsIn(
    'workflows',
    'workflows/ingest/stages/analyse.ts',
    'test/workflows/ingest/ingest-batch.test.ts',
    [['a failure beside a polling is an unhandled rejection', '    finished.catch(() => undefined);\n', '']],
    'fails no workflow task before',
  ),
  ...bugsIn(
    'workflows',
    'workflows/ingest/stages/submit-item.ts',
    'test/workflows/ingest/answers.test.ts',
    [
      [
        'the word that workflows may be ended never goes out',
        '...(termination === undefined\n',
        '...(termination !== null\n',
      ],
    ],
    'that workflows may be ended',
  ),
  ...bugsIn(
    'workflows',
    'workflows/ingest/stages/submit-request.ts',
    'test/workflows/ingest/answers.test.ts',
    [
      [
        'workflows are ended long after the service has named them',
        'Number.POSITIVE_INFINITY) <= Date.now())',
        'Number.POSITIVE_INFINITY) <= 0)',
      ],
    ],
    'the word is not said later than a minute',
  ),
  ...bugsIn('workflows', 'workflows/ingest/stages/read.ts', 'test/workflows/ingest/stages/read.test.ts', [
    [
      'a document without an event id is submitted',
      "} else if (read.eventId === '') {",
      "} else if (read.eventId === 'none') {",
    ],
  ]),
  ...bugsIn(
    'workflows',
    'workflows/ingest/stages/complete.ts',
    'test/workflows/ingest/ingest-batch.test.ts',
    [
      [
        'empty fields are filled by writing over everybody',
        'write(batch, readings, true, ({ fill }) => fill)',
        'write(batch, readings, false, ({ fill }) => fill)',
      ],
    ],
    'missing and impossible values',
  ),
  ...bugsIn(
    'workflows',
    'workflows/ingest/ingest-batch.ts',
    'test/workflows/ingest/late-files.test.ts',
    [
      [
        'a batch of which nothing is released counts as on its way for ever',
        '(batch.outcomes.length > 0 || batch.isReleaseLate)',
        'batch.outcomes.length > 0',
        { hangs: 'The test waits for a receipt so far, which never comes.' },
      ],
    ],
    'nothing is released for long',
  ),
  ...bugsIn(
    'workflows',
    'workflows/run/activity-calls.ts',
    'test/workflows/ingest/late-files.test.ts',
    [['the name of a file is a link in Temporal’s UI', 'summary: toSummary(summary)', 'summary']],
    'whose name is a link',
  ),
  ...bugsIn('workflows', 'workflows/run/activity-calls.ts', 'test/workflows/run/activity-calls.test.ts', [
    [
      'every call that stands still asks for itself',
      'alike[0] !== call && patched(',
      'alike.length > 1_000 && patched(',
    ],
    [
      'each call behind the first asks as often as if it were the only one there',
      'WAIT_BEHIND_MS * (alike.length - 1)',
      'WAIT_BEHIND_MS',
    ],
    [
      'who stands still behind another waits on when that one is through',
      'isBehind && this.#wentOn !== wentOn',
      'isBehind && false',
    ],
    [
      'what reloads is reloaded for in turn, once a minute',
      'const isReload = this.#isReloadStarting;',
      'const isReload = false;',
    ],
  ]),
  ...bugsIn(
    'workflows',
    'workflows/run/activity-calls.ts',
    ['test/workflows/replay.test.ts'],
    [
      [
        'activities have no heartbeat time-out: a dead worker is noticed after half an hour',
        "  heartbeatTimeout: '30 seconds',\n",
        '',
      ],
    ],
    'a-clean-batch-of-100-notes',
  ),
  ...bugsIn(
    'workflows',
    'workflows/run/activity-calls.ts',
    ['test/workflows/replay.test.ts'],
    [
      [
        'a long file has the time of a note',
        "taskQueue: longTransferTaskQueue(share),\n        startToCloseTimeout: '24 hours'",
        "taskQueue: longTransferTaskQueue(share),\n        startToCloseTimeout: '5 minutes'",
      ],
    ],
    'big-files-travel-by-themselves',
  ),
  ...bugsIn(
    'workflows',
    'workflows/ingest/document-state.ts',
    'test/workflows/ingest/absent-uploads.test.ts',
    [
      [
        'silence is taken for a refusal: what is gone was not submitted',
        "    if (how === 'silent' || how === 'failed') this.mayHaveBeenSubmitted();\n",
        '',
      ],
    ],
  ),
  ...bugsIn(
    'workflows',
    'workflows/ingest/decide/add-given.ts',
    'test/workflows/ingest/decide/add-given.test.ts',
    [
      [
        'an answer loses to an earlier one under another name',
        '.filter(([name]) => !Object.hasOwn(given, name))',
        '',
      ],
    ],
  ),
  ...bugsIn(
    'workflows',
    'workflows/ingest/decide/judge-submission.ts',
    'test/workflows/ingest/decide/judge-submission.test.ts',
    [
      [
        'a failure of nobody is passed over',
        "if (named.some(({ id }) => id === ''))",
        'if (named.length < 0)',
      ],
      ['whom a refusal names twice is dealt with twice, by its last word', ' && !named.has(item)', ''],
    ],
  ),
  ...bugsIn('workflows', 'workflows/ingest/stages/submit.ts', 'test/workflows/ingest/told-outcomes.test.ts', [
    [
      'the outcome is not noted with the answer',
      '    judged.accepted.map(({ item }) => item),\n',
      '    [],\n',
    ],
  ]),
  ...bugsIn('workflows', 'workflows/ingest/step-health.ts', 'test/workflows/ingest/step-health.test.ts', [
    [
      'a document is set apart in the outage that others of its batch are waited for in',
      'const isShared = named.isShared || !isAlone;',
      'const isShared = !isAlone;',
    ],
    [
      'two bad documents beside others that were taken are waited for without an end',
      'return areOthersTaken ? isShared && waits < MOST_WAITS_BESIDE : isShared || waits < MOST_WAITS_BESIDE;',
      'return isShared || waits < MOST_WAITS_BESIDE;',
    ],
    [
      'the tries that an outage has used up are not given back',
      'named.waits === 0 || this.#passedMs <= named.lastMs',
      'named.waits === 0 || this.#passedMs > named.lastMs',
    ],
    ['good documents wait behind bad ones', 'this.#isProbed = !isOfNamed;', 'this.#isProbed = true;'],
  ]),
  ...bugsIn(
    'workflows',
    'workflows/ingest/stages/revision-order.ts',
    'test/workflows/ingest/revisions-in-order.test.ts',
    [
      [
        'one whose turn has not come is read and asked for again',
        'const turn = batch.takeTurns(indexes.filter(index => !late.has(index)));',
        'const turn = batch.takeTurns(indexes);',
      ],
    ],
  ),
  ...bugsIn('workflows', 'workflows/ingest/background.ts', 'test/workflows/ingest/ended-runs.test.ts', [
    ['a failure in the background ends nothing', 'this.#failure ??= { error };', 'void error;'],
  ]),
  ...bugsIn(
    'workflows',
    'workflows/users/change-permission-template.ts',
    'test/workflows/users/lagging-list.test.ts',
    [
      [
        'a change that is seen late is taken for the work of others',
        'return { outcome: toOutcome(one, added.template), template: added.template };',
        "return { outcome: 'changed-by-others', template: added.template };",
      ],
    ],
  ),
  ...bugsIn(
    'workflows',
    'workflows/users/change-permission-template.ts',
    'test/workflows/users/change-permission-template.test.ts',
    [['who is to stay outside is added', 'if (isBeside && left !== undefined) return leave(left);', '']],
    'stay outside is not added',
  ),
  ...bugsIn(
    'workflows',
    'workflows/revision-order/decide/project-order.ts',
    'test/workflows/revision-order/decide/project-order.test.ts',
    [['who was about to be woken is forgotten', 'this.waits.wake(snapshot.woken ?? []);', '']],
    'next run as well',
  ),
  ...bugsIn(
    'workflows',
    'workflows/revision-order/project-order.ts',
    'test/workflows/revision-order/project-order.test.ts',
    [
      [
        'a quiet coordinator wakes again and again',
        'this.#tidied === this.#heard && !this.order.isEmpty',
        'this.#tidied !== this.#heard && !this.order.isEmpty',
      ],
      ['a coordinator ends though it knows of a batch', 'this.order.isEmpty && isQuiet()', 'isQuiet()'],
    ],
  ),
];

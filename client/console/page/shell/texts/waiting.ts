// What the view "Waiting for me" says.
const documents = (count: number) => (count === 1 ? '1 document' : `${count.toLocaleString()} documents`);
const joined = (words: readonly string[]) =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
const answers = (count: number) => (count === 1 ? '1 answer' : `${count.toLocaleString()} answers`);

export const waiting = {
  title: 'Waiting for me',
  documents,
  waitFor: {
    values: (count: number) =>
      count === 1 ? '1 document waits for values' : `${documents(count)} wait for values`,
    reviews: (count: number) =>
      count === 1 ? 'A review blocks 1 document' : `A review blocks ${documents(count)}`,
    same: (count: number) =>
      count === 1
        ? '1 document waits for a decision whether it is sent'
        : `${documents(count)} wait for a decision whether they are sent`,
  },
  oldest: (at: string) => `, the oldest since ${at}.`,
  setApartBy: (day: string) => ` What is not answered by ${day} is set apart.`,
  nothing: 'Nothing waits for you.',
  nothingHere: 'Nothing of this kind waits for you.',
  nothingWhy: 'When a document lacks a value, or a decision is yours, it stands here.',
  tabs: { values: 'Values', reviews: 'Blocked by a review', same: 'Same file, or order not clear' },
  kinds: 'Kinds of questions',
  allJobs: 'All jobs',
  jobs: 'Jobs',
  asSheet: 'As a sheet',
  asSheetOf: (share: string) => `${share} as a sheet`,
  withSheet: 'Answer with a sheet',
  keys: { paste: 'paste a column', fillDown: 'fill down', save: 'save', next: 'next' },
  columns: {
    select: 'Select',
    row: 'Row',
    number: 'Number',
    revision: 'Rev',
    title: 'Title',
    answer: 'Answer',
    job: 'Job',
  },
  are: {
    missing: (labels: readonly string[]) => `${joined(labels)} ${labels.length > 1 ? 'are' : 'is'} missing`,
    neededBecause: (label: string, value: string) => `Needed because ${label} is ${value}`,
    neededWithSome: (labels: readonly string[]) => `Needed with some values of ${joined(labels)}`,
    required: (label: string) => `The project requires "${label}". Write a value.`,
  },
  grid: 'Documents that wait for values',
  selectAll: 'Select all',
  selectGroup: (title: string) => `Select all of: ${title}`,
  selectRow: (name: string) => `Select ${name}`,
  needed: (label: string) => `${label} needed`,
  which: 'needed',
  menu: (label: string) => `${label}: fill or paste`,
  fillSelected: (count: number) => `Fill ${count} selected`,
  pasteColumn: 'Paste a column',
  ready: 'ready',
  nearest: (text: string) => `nearest: ${text}`,
  notAValue: 'not a value',
  fill: (count: number) => `Fill all ${count}`,
  listed: (shown: number, all: number) => `${shown} of ${all} values`,
  inUse: 'in use here',
  rows: (count: number) => `${count} rows`,
  thisOne: 'this one',
  fillKeys: 'Ctrl Enter',
  allSelected: (count: number) => `all ${count} selected`,
  noFit: 'No value fits.',
  leaveEmpty: 'Leave it empty',
  leavesEmpty: (word: string) => `${word} leaves it empty`,
  leftEmpty: 'left empty',
  whichIsMeant: 'Which one is meant?',
  whichDate: (days: readonly string[]) => `${days.join(' or ')}?`,
  lastDay: (time: string) => `until ${time}`,
  lastDayMeans: 'It is set apart then.',
  asTheyAre: (count: number) => (count === 1 ? 'Try 1 as it is' : `Try ${count} as they are`),
  foot: {
    unsaved: (count: number) => `${answers(count)}, not saved yet.`,
    none: 'No answers yet.',
    rest: (lacking: number, faults: number) => {
      const parts = [
        lacking === 0 ? '' : `${lacking} ${lacking === 1 ? 'row still lacks' : 'rows still lack'} a value`,
        faults === 0 ? '' : `${faults} ${faults === 1 ? 'has' : 'have'} a fault`,
      ].filter(part => part !== '');
      return parts.length === 0 ? '' : `${parts.join(', ')}; they stay held.`;
    },
    undo: 'Undo',
    save: (count: number) => (count === 0 ? 'Save' : `Save ${answers(count)}`),
    saving: 'Saving',
    taken: (count: number) =>
      count === 1
        ? '1 answer taken, 1 document goes on.'
        : `${answers(count)} taken, ${documents(count)} go on.`,
    setApart: (count: number) =>
      count === 1 ? '1 document is set apart.' : `${documents(count)} are set apart.`,
    before: (count: number, by: string) =>
      `${count} ${count === 1 ? 'was' : 'were'} answered by ${by} before.`,
    refused: (count: number) => `${count} ${count === 1 ? 'was' : 'were'} not taken.`,
    somebody: 'somebody else',
    noLine: 'No connection. Your answers are kept in this window; save when it is back.',
  },
  locked: (by: string, at: string) => `${by} ${at}`,
  gone: 'no longer waits',
  notSent: 'you, not sent',
  pasteTitle: (label: string) => `Paste a column into ${label}`,
  pasteHint: 'Copy cells in your spreadsheet, and paste them here: one line a row.',
  pasteTold: (given: number, rows: number, left: number) =>
    `${given} ${given === 1 ? 'value' : 'values'} for ${rows} ${rows === 1 ? 'row' : 'rows'}${left > 0 ? `, ${left} left over` : ''}.`,
  pasteDo: 'Put them in',
  cancel: 'Cancel',
  leave: 'Answers that are not saved are lost when you leave. Leave?',
  fieldsAsked:
    'The values of the project are being fetched. Cells can be written in as soon as they are there.',
  sheet: {
    read: (count: number) =>
      `${count} ${count === 1 ? 'row' : 'rows'} filled from the sheet. Look at them and save.`,
    nothing: 'The sheet says nothing for rows that wait.',
    unlisted: (count: number) => `${count} that wait ${count === 1 ? 'is' : 'are'} not in it.`,
    moreRefused: (count: number) => `${count} more ${count === 1 ? 'row was' : 'rows were'} not taken.`,
    unread: (names: string) => `Not read, for they are no fields of the project: ${names}.`,
  },
  review: {
    hold: 'Wait for the review',
    waits: (until: string) =>
      `It is submitted by itself when the review is over, if that is before ${until}.`,
    asks: (until: string) => `It waits until ${until}. When the review is over, try again.`,
    again: 'Try again',
    apart: (revision: string) => `Set ${revision} apart`,
    end: 'End the review…',
    endMany: (count: number) => `End ${count} reviews…`,
    apartMany: (count: number) => `Set ${count} apart`,
    againMany: (count: number) => `Try ${count} again`,
    title: (count: number) => (count === 1 ? 'End the review?' : `End ${count} reviews?`),
    lost: 'Responses in the review are closed with it. This cannot be undone, and is noted in the receipt with your name.',
    reason: 'Reason',
    reasonNeeded: 'A reason is needed.',
    status: 'Status that the reviewed revisions get',
    statusNeeded: 'A status is needed.',
    count: (count: number) => `Type ${count} to end ${count} reviews`,
    countNeeded: (count: number) => `Type ${count}.`,
    changed:
      'The review that you were about to end is over, or another one has come in its place. Nothing was sent; look again.',
    keep: (count: number) => (count === 1 ? 'Keep the review' : 'Keep the reviews'),
    confirm: (revision: string) => `End review, submit ${revision}`,
    confirmMany: (count: number) => `End ${count} reviews, submit`,
    it: 'it',
  },
  same: {
    send: 'Send it all the same',
    apart: 'Set apart',
    sendMany: (count: number) => `Send ${count} all the same`,
  },
  away: 'Answers cannot be saved just now.',
  noRole: 'Only people with the role "answer" can answer here.',
} as const;

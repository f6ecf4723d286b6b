// What people say to a running observation: what cannot be used is noted and does nothing.
import { ObservationInbox } from '../../../workflows/observations/observation-inbox';
import type { RunProgress } from '../../../workflows/run/run-progress';

type Say = (said: unknown) => void;

const handlers = new Map<string, Say>();

jest.mock('@temporalio/workflow', () => ({
  ...jest.requireActual<object>('@temporalio/workflow'),
  patched: () => true,
  setHandler: ({ name }: { readonly name: string }, handler: Say) => handlers.set(name, handler),
}));

function open(hasShare: boolean) {
  const notes: string[] = [];
  const inbox = new ObservationInbox(
    { note: text => notes.push(text) } as Pick<RunProgress, 'note'> as RunProgress,
    hasShare,
  );
  const say = (name: string, said: unknown): void => handlers.get(name)?.(said);
  return { inbox, notes, say };
}

test('files without a comment are not taken: only a response carries them', () => {
  const { inbox, notes, say } = open(true);
  say('workDone', { attachments: ['after.jpg'], requestId: 'a' });
  expect(inbox.hasMessages).toBe(false);
  expect(notes).toEqual([
    'A signal "workDone" could not be used: attachments: files go with a response, so give a "comment" as well',
  ]);
  say('workDone', { comment: 'Fixed', attachments: ['after.jpg'], requestId: 'a' });
  expect(inbox.next()).toMatchObject({ kind: 'done', comment: 'Fixed', attachments: ['after.jpg'] });
});

test('files are not taken by a run that knows of no share, and what needs none is', () => {
  const { inbox, notes, say } = open(false);
  say('respond', { comment: 'See the photo', attachments: ['after.jpg'] });
  expect(inbox.hasMessages).toBe(false);
  expect(notes).toEqual([
    'A signal "respond" could not be used: attachments: this run was started without a "share", so no files can be sent',
  ]);
  say('respond', { comment: 'Seen', attachments: [] });
  expect(inbox.next()).toMatchObject({ kind: 'respond', comment: 'Seen' });
});

test('what was left out because too many waited counts when it is said again, and once', () => {
  const { inbox, notes, say } = open(false);
  for (let n = 0; n < 101; n++) say('respond', { comment: `${n}`, requestId: `${n}` });
  expect(notes).toEqual(['A signal "respond" was left out: too many wait already.']);
  for (let n = 0; n < 100; n++) expect(inbox.next()).toMatchObject({ comment: `${n}` });
  say('respond', { comment: '100', requestId: '100' });
  say('respond', { comment: '100', requestId: '100' });
  expect(inbox.next()).toMatchObject({ comment: '100' });
  expect(inbox.hasMessages).toBe(false);
});

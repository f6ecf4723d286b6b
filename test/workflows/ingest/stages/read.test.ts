// What a look at uploads settles by itself.
import type { ReadDocument } from '../../../../activities';
import type { EventId, UploadId } from '../../../../workflows/contract';
import type { BatchState } from '../../../../workflows/ingest/batch-state';
import { DocumentState } from '../../../../workflows/ingest/document-state';
import { readStage } from '../../../../workflows/ingest/stages/read';
import { FakeWorld, POLICY } from '../../fake-activities';

test('an upload without an event id, looked for before, is set apart and never handed on; its neighbour goes on', async () => {
  const states = new FakeWorld(2).documents.map(document => {
    const state = new DocumentState(document);
    state.uploadCreated(`U${document.index}` as UploadId);
    state.linked();
    for (let time = 0; time < 2; time++) state.countTry('absent');
    return state;
  });
  const read = (index: number, eventId: string): ReadDocument => ({
    kind: 'found',
    index,
    eventId: eventId as EventId,
    completed: true,
    analysed: true,
    analysisFailed: false,
    fill: [],
    missing: [],
    stored: [],
    ...(index === 0 ? {} : { requirement: index }),
  });
  const requirements = [
    { when: 'no requirement of the project applies', asks: [] },
    { when: 'the default of the project', asks: ['Type'] },
  ];
  const apart: [number, string][] = [];
  const batch = {
    documents: states,
    policy: POLICY,
    registers: [],
    calls: {
      service: {
        readUploads: async () => ({ documents: [read(0, ''), read(1, 'E1')], requirements, lookedMs: 0 }),
      },
    },
    setApart: ({ document }: DocumentState, { code }: { code: string }) => apart.push([document.index, code]),
  } as unknown as BatchState;
  const { found } = await readStage(batch, states);
  expect(apart).toEqual([[0, 'event-id-missing']]);
  expect(states.map(({ required }) => required)).toEqual([undefined, requirements[1]]);
  expect(found.map(({ state }) => [state.document.index, state.eventId])).toEqual([[1, 'E1']]);
});

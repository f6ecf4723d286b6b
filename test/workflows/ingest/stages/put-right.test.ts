// Two groups that find the same two uploads in each other's places put them right once.
import { withResolvers } from '../../../../activities/host/with-resolvers';
import type { UploadId } from '../../../../workflows/contract';
import type { BatchState } from '../../../../workflows/ingest/batch-state';
import { DocumentState } from '../../../../workflows/ingest/document-state';
import { type Mispaired, putRight, withOwners } from '../../../../workflows/ingest/stages/put-right';
import { FakeWorld } from '../../fake-activities';

jest.mock('@temporalio/workflow', () => ({
  ...jest.requireActual<object>('@temporalio/workflow'),
  log: { warn: () => undefined },
}));

test('the one that comes later leaves it as it is, also where both were told in the same moment', async () => {
  const [one, other] = new FakeWorld(2).documents.map(document => {
    const state = new DocumentState(document);
    state.uploadCreated(`U${document.index}` as UploadId);
    state.linked();
    return state;
  }) as [DocumentState, DocumentState];
  const batch = { batchId: 'B', documents: [one, other] } as unknown as BatchState;
  const mispaired = (state: DocumentState): Mispaired => ({
    state,
    uploadId: state.uploadId,
    others: [1 - state.document.index],
  });
  const { promise: told, resolve: tell } = withResolvers();
  const findThem = async (state: DocumentState): Promise<void> => {
    const all = await withOwners(batch, [mispaired(state)], async owners => {
      const found = owners.map(mispaired);
      await told;
      return found;
    });
    putRight(batch, all, true);
  };
  const both = [findThem(one), findThem(other)];
  tell();
  await Promise.all(both);
  expect([one.uploadId, other.uploadId]).toEqual(['U1', 'U0']);
  expect(one).toMatchObject({ relink: true, completed: false });
});
